# Two tapes: writes the word of 0 and 1 on the first tape to the second one, backwards.

tapes 2
input 0 1
start right
accept done

right 0 _ -> 0 _ R S right    # to the end of the word
right 1 _ -> 1 _ R S right
right _ _ -> _ _ L S back
back 0 _ -> 0 0 L R back
back 1 _ -> 1 1 L R back
back _ _ -> _ _ S S done
