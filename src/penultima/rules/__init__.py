"""The rules core: plain functions over a `Ruleset` and a `Game` whose fields are ints and arrays.

Written in the subset of Python that also compiles with Numba for the CPU and for CUDA (see
`docs/architecture.md`): arithmetic, `if`, `for` and `hands[seat][kind]`; no library, no strings, no
clock. Functions here trust their arguments; `penultima.game` is the checked way in.
"""
