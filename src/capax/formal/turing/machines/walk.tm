# A drunkard's walk: steps right or left by a coin, and stops at the lamp, two cells from where it began.

blank .
input
start walk
accept home

walk . -> x R one : 1/2
walk . -> x L minus-one : 1/2
walk x -> x R one : 1/2
walk x -> x L minus-one : 1/2
one . -> x R home : 1/3       # this way it is a little uphill
one . -> x L walk : 2/3
one x -> x R home : 1/3
one x -> x L walk : 2/3
minus-one . -> x L home : 1/2
minus-one . -> x R walk : 1/2
minus-one x -> x L home : 1/2
minus-one x -> x R walk : 1/2
