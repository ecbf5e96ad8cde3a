"""Requests made of the OpenAPI document, right and wrong ones, at a real server."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from penultima.server import schema
from tests.server.harness import ServerProcess, a_server, a_token

LIMITS = (
    "--limits=requests_per_address=100000000,guesses_per_address=100000000,"
    "tables_per_address=100000000,tables=100000000"
)
CHECKS = [
    *(not_a_server_error, status_code_conformance),
    *(content_type_conformance, response_schema_conformance),
]
EXAMPLES = 25
RIGHT, WRONG = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
# Requests as they should be, and as they should not, where there is anything to get wrong.
REQUESTS = [
    (method.upper(), path, mode)
    for method, path, _, body, *_ in schema.OPERATIONS
    for mode in (RIGHT, WRONG)
    if mode == RIGHT or body is not None or "{" in path
]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with a_server(tmp_path_factory.mktemp("openapi"), LIMITS) as server:
        yield server


@pytest.mark.parametrize(("method", "path", "mode"), REQUESTS)
def test_no_request_breaks_the_server(
    wide: ServerProcess, method: str, path: str, mode: GenerationMode
) -> None:
    document = schemathesis.openapi.from_dict(schema.openapi())
    document.config.update(base_url=wide.address)
    seen: Counter[int] = Counter()
    token = {"Authorization": f"Bearer {a_token()}"}

    @given(case=document[path][method].as_strategy(mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: schemathesis.Case[Any]) -> None:
        answer = case.call(headers=token)
        seen[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    ask()
    assert seen and all(code < 500 for code in seen), seen


def test_what_is_documented_is_what_is_answered(wide: ServerProcess) -> None:
    """The document can be missed: an answer that it does not know is found."""
    document = schema.openapi()
    document["paths"]["/healthz"]["get"]["responses"] = {"204": {"description": "no"}}
    changed = schemathesis.openapi.from_dict(document)
    changed.config.update(base_url=wide.address)
    case = changed["/healthz"]["GET"].Case()
    with pytest.raises(BaseExceptionGroup):
        case.validate_response(case.call(), checks=CHECKS)
