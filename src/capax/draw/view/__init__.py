"""What a picture shows: rows, values, labels and flow, before any geometry."""
