"""Programs of other RASP dialects, traced as expressions and lowered to ours."""
