"""First-order logic of order with numerical predicates of one position: FO[Mon]."""
