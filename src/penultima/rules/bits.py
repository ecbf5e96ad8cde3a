"""Sets as the bits of a word of 60."""


def bit_count(bits: int) -> int:
    """How many bits of a word of 60 are set."""
    bits = bits - (bits >> 1 & 0x555555555555555)
    bits = (bits & 0x333333333333333) + (bits >> 2 & 0x333333333333333)
    bits = (bits + (bits >> 4)) & 0xF0F0F0F0F0F0F0F
    bits += bits >> 8
    bits += bits >> 16
    bits += bits >> 32
    return bits & 0x7F


def lowest_bit(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return bit_count((bits & -bits) - 1)


def nth_bit(bits: int, choice: int) -> int:
    """The place of a bit, counted among those that are set."""
    place = 0
    width = 32
    while width > 0:  # halve by halve: no branch that chance could make hard to foresee
        below = bit_count(bits & ((1 << width) - 1))
        if choice >= below:
            choice -= below
            bits >>= width
            place += width
        width >>= 1
    return place
