"""Counting all ways a position can go on, to compare engines move by move."""

import hashlib
import json

from .table import Table


def perft(table: Table, depth: int) -> tuple[int, int, int]:
    """Number of leaves at a depth, a digest of their positions, and the sum of their scores."""
    if depth == 0 or table.phase == "over":
        return 1, digest(table), sum(table.scores)
    nodes = total = points = 0
    for seat in range(table.seats):
        for action in sorted(table.legal(seat)):
            child = table.copy()
            child.play(seat, action)
            more_nodes, more_total, more_points = perft(child, depth - 1)
            nodes += more_nodes
            total += more_total
            points += more_points
    return nodes, total % 2**64, points


def digest(table: Table) -> int:
    """A 64-bit fingerprint of a position."""
    line = json.dumps(table.position(), sort_keys=True, separators=(",", ":")).encode()
    return int.from_bytes(hashlib.blake2b(line, digest_size=8).digest(), "little")
