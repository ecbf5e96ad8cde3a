"""The terminal clients."""
