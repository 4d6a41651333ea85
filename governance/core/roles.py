"""The four roles of a member; each includes the permissions of the one before."""

from enum import StrEnum


class Role(StrEnum):
    VIEWER = "viewer"
    OPERATOR = "operator"
    EDITOR = "editor"
    ADMIN = "admin"

    def reaches(self, other: "Role") -> bool:
        return _ORDER[self] >= _ORDER[other]


_ORDER = {role: place for place, role in enumerate(Role)}
