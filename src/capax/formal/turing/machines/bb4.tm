# The busy beaver with four states and two symbols: it halts after 107 steps with 13 ones (Brady, 1983).

blank 0
input
start A

A 0 -> 1 R B
A 1 -> 1 L B
B 0 -> 1 L A
B 1 -> 0 L C
C 0 -> 1 R H
C 1 -> 1 L D
D 0 -> 1 R D
D 1 -> 0 R A
