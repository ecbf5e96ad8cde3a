"""As much of msgspec as a table needs where there is none: Python in a browser has no wheel of it.

Structs are dataclasses, JSON is the standard library's. Nothing is checked: edition files were
checked when the package was tested, and frames come from the page that this runs in.
"""

import dataclasses
import json as _json
import types
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints


class MsgspecError(Exception):
    pass


class DecodeError(MsgspecError):
    pass


class ValidationError(DecodeError):
    pass


class Meta:
    """Bounds of a value, which nobody asks for here."""

    def __init__(self, **_: Any) -> None:
        pass


class Struct:
    __struct_config__: ClassVar[types.SimpleNamespace]

    def __init_subclass__(cls, tag: Any = None, kw_only: bool = False, **_: Any) -> None:
        for name, value in list(vars(cls).items()):
            if isinstance(value, list | dict) and not name.startswith("__"):
                setattr(cls, name, dataclasses.field(default_factory=type(value)))
        cls.__struct_config__ = types.SimpleNamespace(tag=tag)
        dataclasses.dataclass(frozen=True, kw_only=kw_only)(cls)


def to_builtins(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        tag = value.__struct_config__.tag if isinstance(value, Struct) else None
        fields = {f.name: to_builtins(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return fields if tag is None else {"type": tag, **fields}
    if isinstance(value, dict):
        return {key: to_builtins(one) for key, one in value.items()}
    return [to_builtins(one) for one in value] if isinstance(value, list | tuple) else value


def convert(value: Any, kind: Any) -> Any:
    """What JSON or TOML says, as a value of a type."""
    origin = get_origin(kind)
    if origin is Annotated:
        return convert(value, get_args(kind)[0])
    if origin in (Union, types.UnionType):
        return convert(value, _member(value, get_args(kind)))
    if origin is list:
        return [convert(one, get_args(kind)[0]) for one in value]
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind, include_extras=True)
        given = {name: one for name, one in value.items() if name in hints}
        return kind(**{name: convert(one, hints[name]) for name, one in given.items()})
    return value


def _member(value: Any, kinds: tuple[Any, ...]) -> Any:
    """The member of a union that a value belongs to: by its tag, or the only one it can be."""
    if value is None:
        return Any
    if isinstance(value, dict):
        for kind in kinds:
            struct = isinstance(kind, type) and issubclass(kind, Struct)
            if struct and kind.__struct_config__.tag in (None, value.get("type")):
                return kind
        raise ValidationError(f"Invalid value {value.get('type')!r}")
    return kinds[0] if get_origin(kinds[0]) is not Literal else Any


class json:  # noqa: N801 - a module there
    class Encoder:
        def __init__(self, **_: Any) -> None:
            pass

        def encode(self, value: Any) -> bytes:
            text = _json.dumps(to_builtins(value), ensure_ascii=False, separators=(",", ":"))
            return text.encode()

    class Decoder:
        def __init__(self, type: Any = Any) -> None:
            self._kind = type

        def decode(self, data: bytes | str) -> Any:
            try:
                return convert(_json.loads(data), self._kind)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DecodeError(str(error)) from error

    encode: Callable[[Any], bytes] = Encoder().encode

    @staticmethod
    def decode(data: bytes | str, type: Any = Any) -> Any:
        return json.Decoder(type).decode(data)


class structs:  # noqa: N801 - a module there
    replace = staticmethod(dataclasses.replace)
