"""What the theorems on formal languages share: answers, checks, and heads that several of them use."""
