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
    selector: str = ""  # where the value was seen, as the author of the rule wrote it
    cut: bool = False  # it depends on text that was not read; then it is no success
    masked: bool = False  # it depends on a value that was masked before it was stored


class SuccessCheck(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement: ...


# Most calls succeed and say nothing: these two are made once, not once per call.
_NULL = Judgement(verdict=Verdict.SUCCESS, rule="null", selector="result")
OTHERWISE = Judgement(verdict=Verdict.SUCCESS, rule="otherwise")
_MASKED = Judgement(verdict=Verdict.SUCCESS, rule="otherwise", masked=True)


def default_check(output: Json) -> Judgement:
    """The heuristic that the SDKs use when nobody gives them a success check."""
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
    """Default check, used where no binding names one. It reads the output only."""

    name: str = "default"
    version: int = 1

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        return default_check(output)


DEFAULT = DefaultCheck()
BOUND_DEFAULT = DefaultCheck()  # the same check, named by a binding: then it decides alone


MOST_LINES = 500
LAST = "default"  # the check of the last line, which is fixed and fits every call


@dataclass(frozen=True, slots=True)
class Binding:
    environment: str  # globs
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
    """As a form sends them, column by column."""
    names = ("environment", "agent", "tool", "check")
    columns = ([text.strip() for text in column(name)] for name in names)
    return [Binding(*line) for line in zip(*columns, strict=False)][:MOST_LINES]


def first_fitting(
    bindings: Sequence[Binding], environment: str, agent: str, tool: str
) -> int | None:
    """Its place in the list; none where the last line is all there is for this call."""
    for place, binding in enumerate(bindings):
        if binding.fits(environment, agent, tool):
            return place
    return None


def all_fitting(bindings: Sequence[Binding], environment: str, agent: str, tool: str) -> list[int]:
    """The places of all bindings that match; the first one applies."""
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
    """The places of all lines that some call of this tool may be judged by, in their order; none
    stands for the last line. Of one agent, or without one of any."""
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
    """An earlier line that takes every call this one could ever get."""
    globs = bindings[place].globs
    for before, binding in enumerate(bindings[:place]):
        if all(_takes_all(wide, narrow) for wide, narrow in zip(binding.globs, globs, strict=True)):
            return before
    return None


def with_line(bindings: Sequence[Binding], line: Binding) -> list[Binding]:
    """Last, or before the first one that would leave nothing for it. Not twice."""
    if line in bindings:
        return list(bindings)
    place = hidden_by([*bindings, line], len(bindings))
    return [*bindings[:place], line, *(bindings[place:] if place is not None else ())]


def _takes_all(wide: str, narrow: str) -> bool:
    # A star of `narrow`, taken as a letter, can only be met by a star of `wide`, which would meet
    # whatever it stands for as well. Of a question mark that cannot be said.
    return wide == narrow or ("?" not in wide and glob_matches(wide, narrow))
