# Copies a word of a and b: abb becomes abb=abb.

input a b
start begin
accept done

begin a -> a R begin      # put = after the word
begin b -> b R begin
begin _ -> = L back
back a -> a L back        # to the first letter that is not copied yet: A and B are copied ones
back b -> b L back
back = -> = L back
back A -> A R next
back B -> B R next
back _ -> _ R next
next a -> A R carry-a
next b -> B R carry-b
next = -> = L clean
carry-a a -> a R carry-a
carry-a b -> b R carry-a
carry-a = -> = R carry-a
carry-a _ -> a L back
carry-b a -> a R carry-b
carry-b b -> b R carry-b
carry-b = -> = R carry-b
carry-b _ -> b L back
clean A -> a L clean      # make the letters small again
clean B -> b L clean
clean _ -> _ R done
