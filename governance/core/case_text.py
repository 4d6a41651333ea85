"""The calls of a case as JSON: as they are kept, and as people write those of a session."""

import json
from typing import Any, Final, Never

from governance.core.cases import PRODUCTION, CaseCall
from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_json
from governance.core.json_value import Json

_KEYS: Final = frozenset({"tool", "args", "principal", "output", "environment", "times"})


def kept(calls: tuple[CaseCall, ...]) -> str:
    """Only ASCII, so that no database minds what arguments hold."""
    return json.dumps([told(each) for each in calls], ensure_ascii=True)


def told(call: CaseCall) -> dict[str, Any]:
    """What differs from the default, in the order in which people read it."""
    found: dict[str, Any] = {"tool": call.tool, "args": call.args}
    if call.principal is not None:
        found["principal"] = call.principal
    if call.output is not None:
        found["output"] = call.output
    if call.environment != PRODUCTION:
        found["environment"] = call.environment
    if call.times != 1:
        found["times"] = call.times
    return found


def written(calls: tuple[CaseCall, ...]) -> str:
    """A call in each line, for a text field."""
    lines = ",\n".join(f"  {json_written(told(each))}" for each in calls)
    return f"[\n{lines}\n]"


def calls_from(text: str) -> tuple[CaseCall, ...]:
    value = read_json(text, "calls")
    if not isinstance(value, list):
        _refuse('This is no list: write [{"tool": "…", "args": {}}].', "calls")
    return tuple(_call(item, f"calls[{place}]") for place, item in enumerate(value))


def _call(value: Json, path: str) -> CaseCall:
    if not isinstance(value, dict):
        _refuse(f'{path} is no call: write {{"tool": "…", "args": {{}}}}.', path)
    if unknown := sorted(set(value) - _KEYS):
        known = ", ".join(f"`{key}`" for key in sorted(_KEYS))
        _refuse(f"`{unknown[0]}` is no key of a call ({path}). Known are {known}.", path)
    tool, args = value.get("tool"), value.get("args", {})
    principal, output = value.get("principal"), value.get("output")
    environment, times = value.get("environment", PRODUCTION), value.get("times", 1)
    if not isinstance(tool, str):
        _refuse(f"{path} has no `tool`: a text.", path)
    if not isinstance(args, dict):
        _refuse(f"`args` of {path} are no object.", path)
    if principal is not None and not isinstance(principal, dict):
        _refuse(f"`principal` of {path} is no object.", path)
    if output is not None and not isinstance(output, str):
        _refuse(f"`output` of {path} is no text.", path)
    if not isinstance(environment, str):
        _refuse(f"`environment` of {path} is no text.", path)
    if not isinstance(times, int) or isinstance(times, bool):
        _refuse(f"`times` of {path} is no whole number.", path)
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
