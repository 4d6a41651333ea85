"""The search language in query parameters of the API."""

from datetime import datetime

from governance.core.errors import InvalidInput
from outcomes.search.domain.language import Query, QueryError, parse
from outcomes.search.queries.sources import Place, microseconds, moment


def query_of(text: str) -> Query:
    try:
        return parse(text)
    except QueryError as error:
        raise InvalidInput.at("q", f"{error}.") from None


def place_before(cursor: tuple[datetime, int] | None) -> Place | None:
    return None if cursor is None else (microseconds(cursor[0]), cursor[1])


def cursor_place(place: Place) -> tuple[datetime, int]:
    return moment(place[0]), place[1]
