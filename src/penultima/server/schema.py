"""The protocol as documents: OpenAPI for requests, TypeScript for the browser client.

    python -m penultima.server.schema > web/src/lib/wire.ts

Both are made of the structs in `wire.py`, so they cannot say anything else than the server does.
"""

import re
from typing import Any, Final

import msgspec

from penultima import __version__
from penultima.edition import SHIPPED
from penultima.event import Event
from penultima.server import wire
from penultima.view import View

REF: Final = "#/components/schemas/{name}"
TEXT: Final = "text"  # an answer that is plain text

# method, path, what it does, its body, its answer, whether it needs a token
OPERATIONS: Final[tuple[tuple[str, str, str, Any, Any, bool], ...]] = (
    ("post", "/api/people", "A new token", None, wire.Person, False),
    ("get", "/api/editions", "The editions that ship", None, wire.Editions, False),
    ("get", "/api/address", "Where other devices find the server", None, wire.Address, False),
    ("post", "/api/tables", "Open a table", wire.NewTable, wire.Seated, True),
    ("get", "/api/tables", "Public tables", None, wire.Lobby, False),
    ("get", "/api/tables/{table}", "One table", None, wire.TableSummary, False),
    ("get", "/api/tables/{table}/rules", "What it is played by", None, TEXT, False),
    ("post", "/api/tables/{table}/move", "A code for another device", None, wire.MoveCode, True),
    ("get", "/api/tables/{table}/matches/{number}", "A record", None, TEXT, True),
    ("get", "/api/rules/{edition}", "The rules of an edition", None, TEXT, False),
    ("post", "/api/quick", "A seat at any public table", wire.QuickMatch, wire.Seated, True),
    ("post", "/api/move", "Take a seat by its code", wire.MoveSeat, wire.Seated, True),
    ("get", "/api/me/history", "One's own matches", None, wire.History, True),
    ("delete", "/api/me/history", "Forget them", None, wire.History, True),
    ("get", "/api/me/statistics", "How one fares", None, wire.Statistics, True),
    ("post", "/api/replay", "Every step of a record", TEXT, wire.Replay, False),
    ("post", "/api/analysis/{number}", "A bot on a round of it", TEXT, wire.Analysis, False),
    ("get", "/healthz", "Whether the server is well", None, wire.Health, False),
    ("get", "/metrics", "Counters for Prometheus", None, TEXT, False),
)
_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "table": {"type": "string", "pattern": "^[a-z2-9]{6}$"},
    "number": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
    "edition": {"type": "string", "enum": list(SHIPPED)},
}
FAULTS: Final = (400, 401, 403, 404, 405, 413, 429, 503)


def openapi() -> dict[str, Any]:
    """The document at /api/openapi.json."""
    kinds = [
        *(kind for operation in OPERATIONS for kind in operation[3:5] if isinstance(kind, type)),
        wire.Fault,
        wire.AnyIncoming,
        wire.AnyOutgoing,
    ]
    _, components = msgspec.json.schema_components(kinds, ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for method, path, summary, body, answer, token in OPERATIONS:
        operation: dict[str, Any] = {
            "summary": summary,
            "responses": {
                "201" if path == "/api/tables" and method == "post" else "200": _content(answer),
                **{str(code): _content(wire.Fault) for code in FAULTS},
            },
        }
        if names := re.findall(r"{(\w+)}", path):
            operation["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": _PARAMETERS[name]}
                for name in names
            ]
        if body is not None:
            operation["requestBody"] = {"required": True, **_content(body)}
            del operation["requestBody"]["description"]
        if token:
            operation["security"] = [{"token": []}]
        paths.setdefault(path, {})[method] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Penultima",
            "version": __version__,
            "description": "Frames of the WebSocket at /ws: Hello, Pong and the commands from the"
            " client; Welcome, News, Answer, Advice, Here, Ping, Go, Problem and Bye to it.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _content(kind: Any) -> dict[str, Any]:
    if kind == TEXT:
        content = {"text/plain": {"schema": {"type": "string"}}}
        content["text/markdown"] = content["text/plain"]
        return {"description": "text", "content": content}
    ((schema,), _) = msgspec.json.schema_components([kind], ref_template=REF)
    return {"description": kind.__name__, "content": {"application/json": {"schema": schema}}}


def page() -> str:
    """The same to read: every request and every frame, as HTML."""
    document = openapi()
    lines = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Penultima {__version__}: the protocol</title></head><body>",
        "<h1>The protocol</h1><p>The document itself: ",
        '<a href="/api/openapi.json">/api/openapi.json</a></p><h2>Requests</h2>',
        "<table><thead><tr><th>request</th><th>what</th><th>body</th><th>answer</th></tr></thead>",
    ]
    for method, path, summary, body, answer, _ in OPERATIONS:
        cells = (f"<code>{method.upper()} {path}</code>", summary, _linked(body), _linked(answer))
        lines.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    lines.append("</table><h2>Structs and frames</h2>")
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines.append(f'<h3 id="{name}">{name}</h3><p>{_text(schema.get("description", ""))}</p>')
        rows = [
            f"<dt><code>{field}</code></dt><dd><code>{_text(_type(kind))}</code></dd>"
            for field, kind in schema.get("properties", {}).items()
        ]
        lines.append(f"<dl>{''.join(rows)}</dl>")
    return "".join([*lines, "</body></html>"])


def _linked(kind: Any) -> str:
    if kind is None or kind == TEXT:
        return kind or ""
    return f'<a href="#{kind.__name__}">{kind.__name__}</a>'


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def typescript() -> str:
    """The types of the browser client."""
    kinds = [wire.AnyIncoming, wire.AnyOutgoing, View, Event]
    kinds += [kind for op in OPERATIONS for kind in op[3:5] if isinstance(kind, type)]
    _, components = msgspec.json.schema_components([*kinds, wire.Fault], ref_template=REF)
    lines = ["// Made by `make wire` from the server's structs: do not edit.", ""]
    for name, schema in sorted(components.items()):
        lines += _interface(name, schema)
    for name, union in (("Incoming", wire.AnyIncoming), ("Outgoing", wire.AnyOutgoing)):
        ((schema,), _) = msgspec.json.schema_components([union], ref_template=REF)
        lines.append(f"export type {name} = {_type(schema)};")
    return "\n".join(lines) + "\n"


def _interface(name: str, schema: dict[str, Any]) -> list[str]:
    """One type. What the server leaves out where it says nothing is optional."""
    may_omit = name == "Event" or name in _from_clients()
    required = set(schema.get("required", ()))
    fields = []
    for field, kind in schema.get("properties", {}).items():
        optional = may_omit and field not in required
        found = "Event[]" if (name, field) == ("Moment", "events") else _type(kind)
        fields.append(f"  {field}{'?' if optional else ''}: {found};")
    note = [f"/** {' '.join(schema['description'].split())} */"] if "description" in schema else []
    return [*note, f"export interface {name} {{", *fields, "}", ""]


def _from_clients() -> set[str]:
    _, components = msgspec.json.schema_components(
        [wire.AnyIncoming, wire.NewTable, wire.QuickMatch, wire.MoveSeat], ref_template=REF
    )
    return set(components)


def _type(schema: dict[str, Any]) -> str:
    """A JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(value).decode() for value in schema["enum"])
    match schema.get("type"):
        case "array":
            inner = _type(schema.get("items", {}))
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            return f"Record<string, {_type(schema.get('additionalProperties') or {})}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null":
            return str(schema["type"])
    return "unknown"


if __name__ == "__main__":
    print(typescript(), end="")
