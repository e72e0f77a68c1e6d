"""First-order logic with counting, where positions are known by their remainders and counts are added: FOC[MOD; +]."""
