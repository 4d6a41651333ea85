"""Definition of an MCP tool, and execution of one call."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema

from edictum_site.mcp.bounded import bounded
from edictum_site.mcp.caller import Caller, Refused
from governance.core.errors import GovernanceError

logger = logging.getLogger(__name__)

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a tool, and the URL of the page that shows it."""

    result: Any
    page: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    schema: dict[str, Any]
    run: Callable[[Caller, Arguments], Answer]
    needs_manage: bool = False
    writes: bool = False


def run(tool: Tool, caller: Caller, arguments: Arguments) -> tuple[str, bool]:
    """Run a tool; returns the text of its answer, and whether it is an error."""
    if mistakes := _mistakes(tool, arguments):
        return mistakes, True
    try:
        answer = tool.run(caller, arguments)
    except Refused as refused:
        places = [f"{each.get('path', '')}: {each.get('message', '')}" for each in refused.errors]
        return "\n".join([f"{refused} ({refused.code or refused.status})", *places[:20]]), True
    except GovernanceError as error:
        return f"{error} ({error.code})", True
    text, is_cut = bounded(answer.result)
    page, notice = _json(answer.page), "true" if is_cut else "false"
    return f'{{"page":{page},"cut":{notice},"result":{text}}}', False


def _mistakes(tool: Tool, arguments: Arguments) -> str:
    validator = jsonschema.Draft202012Validator(tool.schema)
    errors = sorted(validator.iter_errors(arguments), key=lambda each: each.json_path)
    return "\n".join(f"{each.json_path}: {each.message[:300]}" for each in errors[:5])


def _json(text: str) -> str:
    return bounded(text)[0]
