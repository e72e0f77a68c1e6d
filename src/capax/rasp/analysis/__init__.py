"""What is known of a program without running it: layers, value sets, output types, dialects."""
