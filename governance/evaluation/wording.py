"""Messages for the author about the library's findings, in the document's format, with lines."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from governance.core.errors import Problem
from governance.evaluation.evaluator.messages import Finding
from governance.texts.dialect import Dialect, Path, swap_key, swap_path, swap_value
from governance.texts.document import Document
from governance.texts.yaml_text import Position, locate, path_text

_TYPES = {
    "object": "an object with keys",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "condition": "a condition: a selector with an operator, or `all`, `any`, `not`",
    "string or null": "a string or null",
}


def problems(findings: Sequence[Finding], document: Document) -> tuple[Problem, ...]:
    authored = [_authored(each, document.dialect) for each in _without_echoes(findings, document)]
    positions = _positions(document.text, authored)
    placed = sorted(zip(positions, authored, strict=True), key=lambda pair: pair[0])
    return tuple(
        Problem(
            message=_message(each),
            path=path_text(tuple(each.path)),
            line=line,
            column=column,
            fix=_fix(each),
        )
        for (line, column), each in placed
    )


def _authored(finding: Finding, dialect: Dialect) -> Finding:
    """The same finding in the document's format: the library only saw the new format."""
    if dialect is Dialect.NEW:
        return finding
    path = tuple(finding.path)
    match finding.kind:
        case "unknown_key":
            names = [swap_key(path[:-1], name) for name in finding.names]
        case "missing_key":
            names = [swap_key(path, name) for name in finding.names]
        case "not_allowed":
            names = [swap_value(path, name) for name in finding.names]
        case _:
            names = finding.names
    return Finding(finding.kind, list(swap_path(path)), finding.at_key, names, finding.detail)


def _without_echoes(findings: Sequence[Finding], document: Document) -> list[Finding]:
    """Drop follow-on errors: for `acton`, the schema also reports `action` as missing."""
    explained: set[tuple[Path, str]] = set()
    for finding in findings:
        if finding.kind == "unknown_key" and (
            meant := _meant(_authored(finding, document.dialect))
        ):
            parent = tuple(finding.path)[:-1]
            twin = swap_key(parent, meant) if document.dialect is Dialect.OLD else meant
            explained.add((parent, twin))
    return [
        finding
        for finding in findings
        if finding.kind != "missing_key" or (tuple(finding.path), finding.names[0]) not in explained
    ]


def _positions(text: str, findings: Iterable[Finding]) -> list[Position]:
    tries = [_places_to_try(finding) for finding in findings]
    positions = locate(text, {place for places in tries for place in places}) if tries else {}
    return [next(positions[place] for place in places if place in positions) for places in tries]


def _places_to_try(finding: Finding) -> list[tuple[Path, bool]]:
    """Paths to try for the position of a finding: its own, then its parents up to the document."""
    path = tuple(finding.path)
    above = [(path[:length], False) for length in range(len(path), -1, -1)]
    return [(path, True), *above] if finding.at_key else above


def _meant(finding: Finding) -> str:
    name, known = finding.names[0], finding.names[1:]
    twin = swap_key(tuple(finding.path)[:-1], name)  # the same key in the other format
    if twin != name and twin in known:
        return twin
    return next(iter(get_close_matches(name, known, n=1)), "")


def _one_of(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _guess(finding: Finding) -> str:
    return f" Did you mean `{meant}`?" if (meant := _meant(finding)) else ""


def _fix(finding: Finding) -> str:
    """The correction, if there is exactly one."""
    match finding.kind:
        case "unknown_key" | "unknown_operator":
            return _meant(finding)
        case "not_allowed":
            name, allowed = finding.names[0], finding.names[1:]
            twin = swap_value(tuple(finding.path), name)  # the same value in the other format
            close = get_close_matches(name, allowed, n=1)
            only = allowed if len(allowed) == 1 else []
            return twin if twin in allowed else next(iter(close or only), "")
        case _:
            return ""


def _message(finding: Finding) -> str:
    key = str(finding.path[-1]) if finding.path else ""
    name = finding.names[0] if finding.names else ""
    other = finding.names[1] if len(finding.names) > 1 else ""
    match finding.kind:
        case "unknown_key":
            return f"Unknown key `{name}`.{_guess(finding) or _known(finding)}"
        case "missing_key":
            return f"The required key `{name}` is missing."
        case "not_allowed":
            return f"`{name}` isn't allowed here: write {_one_of(finding.names[1:])}."
        case "wrong_type" if other == "object" and "when" in finding.path:
            return f"`{name}` needs an operator: write `equals: {name}`, for example."
        case "wrong_type":
            return f"`{name}` is not {_TYPES.get(other, other)}."
        case "bad_name":
            return (
                f"`{name}` is not a valid name. Use lowercase letters, digits, `-` and `_`, "
                "starting with a letter or digit (a contract's name may also contain `.`)."
            )
        case "empty":
            return f"`{key}` is empty." if key else "The document is empty."
        case "too_long":
            return f"Too long: {name} characters, at most {other} allowed."
        case "too_small":
            return f"`{name}` is too small: use at least {other}."
        case "one_key":
            return "A condition takes one selector, and a selector takes one operator."
        case "one_of":
            return f"One of these keys is required: {_one_of(finding.names)}."
        case "only_one_of":
            return f"Only one of these keys is allowed: {_one_of(finding.names)}."
        case "duplicate_id":
            return f"Another rule already has the id `{name}`."
        case "unknown_operator":
            return f"Unknown operator `{name}`.{_guess(finding)}"
        case "output_in_pre":
            return "`output.text` exists only after the tool runs: make this a `post` rule."
        case "bad_pattern":
            return f"Invalid regular expression: {finding.detail}."
        case "needs":
            return f"`{name}` has no effect without `{other}`."
        case "unreadable":
            return f"YAML reads `{name}` as a date, a number or a tag: put it in quotes."
        case "too_deep":
            return "Nested too deeply."
        case "hopeless":
            return (
                f"`{name}` backtracks without limit on text such as `{other}`, and would block the "
                "agent. Make sure that repeated parts can't match the same characters."
            )
        case _:
            return finding.detail or "The library rejects this document."


def _known(finding: Finding) -> str:
    return f" Known here: {', '.join(f'`{key}`' for key in finding.names[1:])}."
