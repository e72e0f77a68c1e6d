# The busy beaver with one state and two symbols: it halts after 1 step, having written 1 one.

blank 0
input
start A

A 0 -> 1 R H
