"""Contract and version that lists of calls and sessions can be narrowed to."""

from dataclasses import dataclass
from typing import Any

from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest
from outcomes.web.paging import with_query


@dataclass(frozen=True, slots=True)
class Narrowing:
    contract: str = ""
    version: int | None = None

    def __bool__(self) -> bool:
        return self != Narrowing()

    def query(self) -> dict[str, str]:
        return {
            "contract": self.contract,
            "version": "" if self.version is None else str(self.version),
        }


def narrowing_of(request: MemberRequest) -> Narrowing:
    contract, version = request.GET.get("contract", ""), request.GET.get("version", "")
    return Narrowing(contract, parse_number(version) if contract else None)


def narrowing_context(
    request: MemberRequest, narrowing: Narrowing, address: str, **others: str
) -> dict[str, Any]:
    """Context of the filter form above a list; `address` is the list without these filters."""
    return {
        "narrowing": narrowing,
        "of_every_contract": with_query(address, **others) if narrowing else "",
        "narrowed_with": {name: value for name, value in others.items() if value},
    }
