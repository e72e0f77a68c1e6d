# Adds 1 to a number in binary.

input 0 1
start right
accept done

right 0 -> 0 R right      # go to the end of the number
right 1 -> 1 R right
right _ -> _ L carry
carry 1 -> 0 L carry      # 1 and 1 are 0, and one to carry
carry 0 -> 1 S done
carry _ -> 1 S done
