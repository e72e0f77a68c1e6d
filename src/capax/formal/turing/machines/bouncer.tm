# Runs to and fro for ever, one cell further each time.

input
start right

right 1 -> 1 R right
right _ -> 1 L left
left 1 -> 1 L left
left _ -> 1 R right
