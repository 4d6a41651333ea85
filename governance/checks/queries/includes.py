"""What a text takes of the checks that it includes: as they were fixed, until newer ones are asked
for."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from governance.checks.language.includes import Included, fixed_in
from governance.checks.queries.checks import NAME, newest_compiled, own_version
from governance.core.compiled_check import Compiled
from governance.models import CheckVersion

ALL: Final = ("*",)  # of what is included, the newest: no check has this name


@dataclass(slots=True)
class Including:
    """Of a text under its name: what the newest version of that name includes stays as it is
    there, or as it is in the version whose text this is; what it does not include is taken as the
    newest. `names`, if known, are asked for at once."""

    project_id: int
    newer: Collection[str] = ()
    version: int | None = None
    names: Iterable[str] = ()
    fixed: CheckVersion | None = None  # where those that stay stand, once it is asked for
    _is_asked: bool = False
    _newest: dict[str, Compiled] | None = None

    def of(self, name: str) -> Included:
        def included(asked: str) -> Compiled | None:
            self._ask(name)
            kept = None if self._is_newer(asked) else _kept(self.fixed, asked)
            return kept or self._newest_of(asked)

        return included

    def _ask(self, name: str) -> None:
        if not self._is_asked:
            self._is_asked = True
            self.fixed = own_version(self.project_id, name, self.version, without=["document"])

    def _is_newer(self, asked: str) -> bool:
        return self.newer == ALL or asked in self.newer

    def _newest_of(self, asked: str) -> Compiled | None:
        if self._newest is None:
            names = set(self.names)
            self._newest = newest_compiled(self.project_id, names) if names else {}
        if asked not in self._newest:
            self._newest |= newest_compiled(self.project_id, [asked])
        return self._newest.get(asked)


def names_of_newer(sent: Mapping[str, str]) -> tuple[str, ...]:
    """Those that the form of an editor asks the newer version of, with commas between."""
    return tuple(name for name in sent.get("newer", "").split(",") if NAME.fullmatch(name))


def _kept(version: CheckVersion | None, asked: str) -> Compiled | None:
    if version is None:
        return None
    numbers = {each["name"]: each["version"] for each in version.included}
    return fixed_in(version.compiled, asked, numbers[asked]) if asked in numbers else None
