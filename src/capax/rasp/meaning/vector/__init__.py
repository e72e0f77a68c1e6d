"""What the fast evaluator is made of: batches, columns, element-wise rules, plans of selectors and their sums."""
