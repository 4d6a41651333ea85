"""Calls of a test as JSON: as stored, and as edited by hand."""

import json
from typing import Any, Final, Never

from governance.core.cases import PRODUCTION, CaseCall
from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_json
from governance.core.json_value import Json

_KEYS: Final = frozenset({"tool", "args", "principal", "output", "environment", "times"})


def calls_as_text(calls: tuple[CaseCall, ...]) -> str:
    """Calls as ASCII JSON, so that every database can store any argument."""
    return json.dumps([call_as_dict(each) for each in calls], ensure_ascii=True)


def call_as_dict(call: CaseCall) -> dict[str, Any]:
    """Fields of a call that differ from the defaults, in reading order."""
    fields: dict[str, Any] = {"tool": call.tool, "args": call.args}
    if call.principal is not None:
        fields["principal"] = call.principal
    if call.output is not None:
        fields["output"] = call.output
    if call.environment != PRODUCTION:
        fields["environment"] = call.environment
    if call.times != 1:
        fields["times"] = call.times
    return fields


def written(calls: tuple[CaseCall, ...]) -> str:
    """JSON with one call per line, for a text field."""
    lines = ",\n".join(f"  {json_written(call_as_dict(each))}" for each in calls)
    return f"[\n{lines}\n]"


def calls_from(text: str) -> tuple[CaseCall, ...]:
    value = read_json(text, "calls")
    if not isinstance(value, list):
        _refuse('This is not a list. Write [{"tool": "…", "args": {}}].', "calls")
    return tuple(call_from(item, f"calls[{place}]") for place, item in enumerate(value))


def call_from(value: Json, path: str) -> CaseCall:
    if not isinstance(value, dict):
        _refuse(f'{path} is not a call: write {{"tool": "…", "args": {{}}}}.', path)
    if unknown := sorted(set(value) - _KEYS):
        known = ", ".join(f"`{key}`" for key in sorted(_KEYS))
        _refuse(f"`{unknown[0]}` is not a key of a call ({path}). Use {known}.", path)
    tool, args = value.get("tool"), value.get("args", {})
    principal, output = value.get("principal"), value.get("output")
    environment, times = value.get("environment", PRODUCTION), value.get("times", 1)
    if not isinstance(tool, str):
        _refuse(f"{path} needs a `tool`, a string.", path)
    if not isinstance(args, dict):
        _refuse(f"`args` of {path} must be an object.", path)
    if principal is not None and not isinstance(principal, dict):
        _refuse(f"`principal` of {path} must be an object.", path)
    if output is not None and not isinstance(output, str):
        _refuse(f"`output` of {path} must be a string.", path)
    if not isinstance(environment, str):
        _refuse(f"`environment` of {path} must be a string.", path)
    if not isinstance(times, int) or isinstance(times, bool):
        _refuse(f"`times` of {path} must be a whole number.", path)
    return CaseCall(
        tool=tool,
        args=args,
        principal=principal,
        output=output,
        environment=environment,
        times=times,
    )


def _refuse(message: str, path: str) -> Never:
    raise InvalidInput.at(path, message)
