"""Commands that measure; every figure in the docs comes from one of them."""
