"""Tables that people sit at over a network.

`log` is what can happen at a table, `commands` what a person can ask for; `table` is what has
happened and what may happen next: a fold of the log and pure functions of it, without a socket, a
clock or a database.
"""
