"""Data as TOML, the other way round than `tomllib`."""

import json
from collections.abc import Mapping
from typing import Any


def value(data: Any) -> str:
    match data:
        case bool() | None:
            return "true" if data else "false"
        case str():
            return json.dumps(data).replace("\x7f", "\\u007f")
        case dict():
            return f"{{ {', '.join(f'{value(k)} = {value(v)}' for k, v in data.items())} }}"
        case list():
            return f"[{', '.join(map(value, data))}]"
    return str(data)


def document(data: Mapping[str, Any]) -> str:
    """A whole file, the inner tables inline."""
    return "\n".join(f"{value(name)} = {value(item)}" for name, item in data.items())
