# The busy beaver with two states and two symbols: it halts after 6 steps with 4 ones.

blank 0
input
start A

A 0 -> 1 R B
A 1 -> 1 L B
B 0 -> 1 L A
B 1 -> 1 R H
