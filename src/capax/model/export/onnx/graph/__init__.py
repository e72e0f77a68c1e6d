"""Models as ONNX graphs: what `capax.model.export.onnx.target` writes. Nothing here is imported before it is needed."""
