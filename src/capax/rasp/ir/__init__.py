"""The intermediate representation: interned nodes, the op table, value types, graph walks."""
