"""Bindings: ordered lines that say which check judges which calls; the first that fits counts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from governance.matching.globs import glob_matches

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


def lines_judging(
    bindings: Sequence[Binding], tool: str, environments: Iterable[str], agent: str = ""
) -> list[int | None]:
    """The places of all lines that some call of this tool may be judged by, in their order; none
    stands for the last line. Of one agent, or without one of any."""
    left, found = set(environments), list[int | None]()
    for place, binding in enumerate(bindings):
        if not glob_matches(binding.tool, tool):
            continue
        if agent and not glob_matches(binding.agent, agent):
            continue
        taken = {each for each in left if glob_matches(binding.environment, each)}
        if not taken:
            continue
        found.append(place)
        if agent or _takes_all(binding.agent, "*"):
            left -= taken
    return [*found, None] if left else found


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
