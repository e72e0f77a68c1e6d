# The busy beaver with five states and two symbols: it halts after 47,176,870 steps with 4,098 ones
# (found by Marxen and Buntrock, 1989; that none takes more was proved in 2024).

blank 0
input
start A

A 0 -> 1 R B
A 1 -> 1 L C
B 0 -> 1 R C
B 1 -> 1 R B
C 0 -> 1 R D
C 1 -> 0 L E
D 0 -> 1 L A
D 1 -> 1 L D
E 0 -> 1 R H
E 1 -> 0 L A
