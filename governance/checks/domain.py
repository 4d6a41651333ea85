"""Success checks: verdicts, the default check, and bindings."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Protocol

from governance.checks.language.masked_reads import START, default_reads_mask
from governance.checks.language.matcher import default
from governance.core.json_value import Json
from governance.core.masks.marks import MARK_BEGINS
from governance.core.verdict import Verdict
from governance.matching.globs import glob_matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Verdict on one output, with the rule that decided and the value it read."""

    verdict: Verdict
    rule: str
    value: Json = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    selector: str = ""  # where the value was read, as written in the rule
    cut: bool = False  # the verdict depends on text that was not read; never a success then
    masked: bool = False  # the verdict depends on a value that was masked before it was stored


class SuccessCheck(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement: ...


# Most calls succeed without a reason, so these are created once and shared.
_NULL = Judgement(verdict=Verdict.SUCCESS, rule="null", selector="result")
OTHERWISE = Judgement(verdict=Verdict.SUCCESS, rule="otherwise")
_MASKED = Judgement(verdict=Verdict.SUCCESS, rule="otherwise", masked=True)


def default_check(output: Json) -> Judgement:
    """The heuristic that the SDKs use when no success check is configured."""
    if output is None:
        return _NULL
    explanation = default(output)
    if explanation.verdict == "success":
        may_be_masked = isinstance(output, str) and MARK_BEGINS in output[:START]
        return _MASKED if may_be_masked and default_reads_mask(output) else OTHERWISE
    return Judgement(
        verdict=Verdict.FAILURE,
        rule=explanation.rule,
        value=explanation.value,
        reason=explanation.reason,
        selector=explanation.selector,
    )


@dataclass(frozen=True, slots=True)
class DefaultCheck:
    """Default check, used if no binding matches. It reads the output only."""

    name: str = "default"
    version: int = 1

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        return default_check(output)


DEFAULT = DefaultCheck()
BOUND_DEFAULT = DefaultCheck()  # the same check, chosen explicitly by a binding


MOST_LINES = 500
LAST = "default"  # check of the fixed last row, which matches every call


@dataclass(frozen=True, slots=True)
class Binding:
    environment: str  # the first three fields are globs
    agent: str
    tool: str
    check: str

    def __str__(self) -> str:
        return f"{self.environment} {self.agent} {self.tool} → {self.check}"

    @property
    def globs(self) -> tuple[str, str, str]:
        return self.environment, self.agent, self.tool

    def fits(self, environment: str, agent: str, tool: str) -> bool:
        return (
            glob_matches(self.tool, tool)
            and glob_matches(self.agent, agent)
            and glob_matches(self.environment, environment)
        )


def lines_from_form(column: Callable[[str], Sequence[str]]) -> list[Binding]:
    """Bindings from a form that sends one list per column."""
    names = ("environment", "agent", "tool", "check")
    columns = ([text.strip() for text in column(name)] for name in names)
    return [Binding(*line) for line in zip(*columns, strict=False)][:MOST_LINES]


def first_fitting(
    bindings: Sequence[Binding], environment: str, agent: str, tool: str
) -> int | None:
    """Index of the first matching binding, or None if only the fixed last row matches."""
    for place, binding in enumerate(bindings):
        if binding.fits(environment, agent, tool):
            return place
    return None


def all_fitting(bindings: Sequence[Binding], environment: str, agent: str, tool: str) -> list[int]:
    """Indexes of all bindings that match; the first one applies."""
    return [place for place, line in enumerate(bindings) if line.fits(environment, agent, tool)]


def changed_lines(before: Sequence[Binding], after: Sequence[Binding]) -> list[Binding]:
    """Bindings that were added, removed or moved: calls they match may get another check."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    changed = dict[Binding, None]()
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag != "equal":
            changed |= dict.fromkeys([*before[first:last], *after[start:end]])
    return list(changed)


def lines_judging(
    bindings: Sequence[Binding], tool: str, environments: Iterable[str], agent: str = ""
) -> list[int | None]:
    """Indexes of all bindings that can apply to some call of this tool, in order. None is the fixed
    last row. With `agent`, only calls of that agent count."""
    left, places = set(environments), list[int | None]()
    for place, binding in enumerate(bindings):
        if not glob_matches(binding.tool, tool):
            continue
        if agent and not glob_matches(binding.agent, agent):
            continue
        matching = {each for each in left if glob_matches(binding.environment, each)}
        if not matching:
            continue
        places.append(place)
        if agent or _takes_all(binding.agent, "*"):
            left -= matching
    return [*places, None] if left else places


def hidden_by(bindings: Sequence[Binding], place: int) -> int | None:
    """Index of an earlier binding that matches every call this one could match."""
    globs = bindings[place].globs
    for before, binding in enumerate(bindings[:place]):
        if all(_takes_all(wide, narrow) for wide, narrow in zip(binding.globs, globs, strict=True)):
            return before
    return None


def with_line(bindings: Sequence[Binding], line: Binding) -> list[Binding]:
    """Append a binding, or insert it before the first one that would hide it, unless it exists."""
    if line in bindings:
        return list(bindings)
    place = hidden_by([*bindings, line], len(bindings))
    return [*bindings[:place], line, *(bindings[place:] if place is not None else ())]


def _takes_all(wide: str, narrow: str) -> bool:
    # If `wide` matches `narrow` as literal text, each star in `narrow` was matched by a star in
    # `wide`, which also matches whatever the first one expands to. Question marks in `wide` break
    # this.
    return wide == narrow or ("?" not in wide and glob_matches(wide, narrow))
