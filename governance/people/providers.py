"""Identity providers of a company, as configured in settings. Plain Python."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from governance.core.roles import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRole:
    """Role that members of a group get in a project."""

    group: str
    project: str  # its slug
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityProvider:
    id: str  # in URLs
    name: str  # on the button
    url: str
    client_id: str
    secret: str = field(repr=False)
    domains: frozenset[str] = frozenset()  # their people can sign in only with it
    groups: tuple[GroupRole, ...] = ()
    groups_claim: str = "groups"
    proves_second_factor: bool = False  # by `mfa` in the claim `amr`
    hours: int = 12  # lifetime of a sign-in

    def roles(self, groups: Iterable[str]) -> dict[str, Role | None]:
        """Highest role in each mapped project; None if the person is in none of its groups."""
        theirs = set(groups)
        highest: dict[str, Role | None] = {each.project: None for each in self.groups}
        for each in self.groups:
            known = highest[each.project]
            if each.group in theirs and (known is None or each.role.reaches(known)):
                highest[each.project] = each.role
        return highest


def domain_of(email: str) -> str:
    return email.strip().lower().rpartition("@")[2]


def provider_required(
    providers: Mapping[str, IdentityProvider], email: str
) -> IdentityProvider | None:
    """Provider that people with this email must sign in with, or None."""
    domain = domain_of(email)
    return next((each for each in providers.values() if domain in each.domains), None)
