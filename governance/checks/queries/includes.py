"""Included checks of a text: as fixed at the last save, until newer ones are requested."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from governance.checks.language.includes import Included, fixed_in
from governance.checks.queries.checks import NAME, newest_compiled, own_version
from governance.core.compiled_check import Compiled
from governance.models import CheckVersion

ALL: Final = ("*",)  # newest version of every included check; no check has this name


@dataclass(slots=True)
class Including:
    """Resolver of included checks for a text under its name.

    Checks that the newest version of that name (or the given version) includes stay fixed there;
    other names resolve to the newest version. `names`, if known, are loaded in one query.
    """

    project_id: int
    newer: Collection[str] = ()
    version: int | None = None
    names: Iterable[str] = ()
    fixed: CheckVersion | None = None  # version that fixes the included ones, loaded lazily
    _is_read: bool = False
    _newest: dict[str, Compiled] | None = None

    def of(self, name: str) -> Included:
        def included(included_name: str) -> Compiled | None:
            self._read_fixed(name)
            fixed = (
                None if self._is_newer(included_name) else _fixed_version(self.fixed, included_name)
            )
            return fixed or self._newest_of(included_name)

        return included

    def _read_fixed(self, name: str) -> None:
        if not self._is_read:
            self._is_read = True
            self.fixed = own_version(self.project_id, name, self.version, without=["document"])

    def _is_newer(self, included_name: str) -> bool:
        return self.newer == ALL or included_name in self.newer

    def _newest_of(self, included_name: str) -> Compiled | None:
        if self._newest is None:
            names = set(self.names)
            self._newest = newest_compiled(self.project_id, names) if names else {}
        if included_name not in self._newest:
            self._newest |= newest_compiled(self.project_id, [included_name])
        return self._newest.get(included_name)


def names_of_newer(sent: Mapping[str, str]) -> tuple[str, ...]:
    """Comma-separated names in an editor's form for which it requests the newest version."""
    return tuple(name for name in sent.get("newer", "").split(",") if NAME.fullmatch(name))


def _fixed_version(version: CheckVersion | None, included_name: str) -> Compiled | None:
    if version is None:
        return None
    numbers = {each["name"]: each["version"] for each in version.included}
    return (
        fixed_in(version.compiled, included_name, numbers[included_name])
        if included_name in numbers
        else None
    )
