"""The documents made of the protocol say what the server does."""

import json
import urllib.request
from typing import Any

import pytest

from penultima.server import http, schema, wire
from tests.server.harness import ServerProcess

UNDOCUMENTED = {("get", "/api/openapi.json"), ("get", "/api/docs")}  # the documents themselves


def test_every_request_is_documented() -> None:
    served = {(method.lower(), path.replace(":int", "")) for method, path, _ in http.ROUTES}
    documented = {(method, path) for method, path, *_ in schema.OPERATIONS}
    assert served == documented | UNDOCUMENTED


def references(node: Any) -> set[str]:
    if isinstance(node, dict):
        found = {node["$ref"].rpartition("/")[2]} if isinstance(node.get("$ref"), str) else set()
        return found.union(*map(references, node.values())) if node else found
    return set().union(*map(references, node)) if isinstance(node, list) else set()


def test_the_document_is_complete_in_itself() -> None:
    document = schema.openapi()
    assert references(document) <= document["components"]["schemas"].keys()


@pytest.mark.parametrize("frame", [*wire.AnyIncoming.__args__, *wire.AnyOutgoing.__args__])
def test_every_frame_is_in_the_types_of_the_browser_client(frame: type) -> None:
    assert f"export interface {frame.__name__} {{" in schema.typescript()


def test_the_documents_are_served(server: ServerProcess) -> None:
    with urllib.request.urlopen(f"{server.address}/api/openapi.json") as answer:
        assert json.load(answer) == schema.openapi()
    with urllib.request.urlopen(f"{server.address}/api/docs") as answer:
        page = answer.read().decode()
    assert "/api/tables/{table}/rules" in page
    assert 'id="Welcome"' in page
