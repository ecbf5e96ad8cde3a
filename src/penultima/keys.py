"""Keys of chance: as text, and those of a seed."""

from penultima.errors import PositionError
from penultima.rules.chance import derive_key


def write_key(key: list[int]) -> str:
    return b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in key).hex()


def read_key(text: object) -> list[int]:
    """The 8 words of a key of 64 hexadecimal digits, signed as the record keeps them."""
    try:
        data = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        data = b""
    if len(data) != 32 or not isinstance(text, str) or len(text) != 64:
        raise PositionError("key")
    return [int.from_bytes(data[at : at + 4], "little", signed=True) for at in range(0, 32, 4)]


def key_of_seed(seed: int, number: int = 0) -> list[int]:
    """The key of game `number` of a seed."""
    key = [0] * 8
    derive_key(seed, number, key, [0] * 16)
    return key
