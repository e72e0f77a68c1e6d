"""Models as ONNX graphs: what `capax.model.export.onnx` writes. Nothing here is imported before it is needed."""
