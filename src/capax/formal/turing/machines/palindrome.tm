# Accepts the words of a and b that read the same from both ends.

input a b
start first
accept yes

first _ -> _ S yes
first a -> _ R to-end-a   # take the first letter away and look for the same at the end
first b -> _ R to-end-b
to-end-a a -> a R to-end-a
to-end-a b -> b R to-end-a
to-end-a _ -> _ L last-a
to-end-b a -> a R to-end-b
to-end-b b -> b R to-end-b
to-end-b _ -> _ L last-b
last-a a -> _ L home
last-a b -> b S no
last-a _ -> _ S yes
last-b b -> _ L home
last-b a -> a S no
last-b _ -> _ S yes
home a -> a L home
home b -> b L home
home _ -> _ R first
