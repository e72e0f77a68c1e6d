# The busy beaver with three states and two symbols: no other that halts takes more than its 21 steps (Lin and Rado, 1965).

blank 0
input
start A

A 0 -> 1 R B
A 1 -> 1 R H
B 0 -> 1 L B
B 1 -> 0 R C
C 0 -> 1 L C
C 1 -> 1 L A
