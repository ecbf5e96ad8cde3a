"""Penultima: card games of the UNO family, to play, to simulate and to study."""

__version__ = "0.1.0"
