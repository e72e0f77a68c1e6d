# A small universal machine: 11 states, 11 symbols. It runs any cyclic tag system, and these compute all that
# Turing machines do (Cook, 2004).
#
# A cyclic tag system has productions, words of 0 and 1, that take turns, and data. In each step the first letter of
# the data is taken away, and if it was 1, the production whose turn it is is put at the end. It stops when there is no
# data left.
#
# The word: a * before the first production, a ; before each other one, =, and the data with x for 0 and y for 1.
# *10;1=yx has the productions 10 and 1 and the data 10.

input 0 1 ; * = x y
start find

# to the first letter of the data that is still there
find 0 -> 0 R find
find 1 -> 1 R find
find ; -> ; R find
find * -> * R find
find = -> = R take
take e -> e R take
take x -> e L drop
take y -> e L copy
# it was a 0: the next production's turn
drop e -> e L drop
drop x -> x L drop
drop y -> y L drop
drop = -> = L drop
drop 0 -> 0 L drop
drop 1 -> 1 L drop
drop ; -> ; L drop
drop * -> ; R turn
turn 0 -> 0 R turn
turn 1 -> 1 R turn
turn ; -> * R find
turn = -> = L around
around 0 -> 0 L around
around 1 -> 1 L around
around ; -> ; L around
around _ -> _ R top
top ; -> * R find
# it was a 1: the production is copied to the end of the data, letter by letter; a and b are copied 0 and 1
copy e -> e L copy
copy x -> x L copy
copy y -> y L copy
copy = -> = L copy
copy 0 -> 0 L copy
copy 1 -> 1 L copy
copy ; -> ; L copy
copy a -> a L copy
copy b -> b L copy
copy * -> * R letter
letter a -> a R letter
letter b -> b R letter
letter 0 -> a R add-0
letter 1 -> b R add-1
letter ; -> ; L restore
letter = -> = L restore
add-0 0 -> 0 R add-0
add-0 1 -> 1 R add-0
add-0 ; -> ; R add-0
add-0 = -> = R add-0
add-0 e -> e R add-0
add-0 x -> x R add-0
add-0 y -> y R add-0
add-0 _ -> x L copy
add-1 0 -> 0 R add-1
add-1 1 -> 1 R add-1
add-1 ; -> ; R add-1
add-1 = -> = R add-1
add-1 e -> e R add-1
add-1 x -> x R add-1
add-1 y -> y R add-1
add-1 _ -> y L copy
restore a -> 0 L restore
restore b -> 1 L restore
restore * -> ; R turn
