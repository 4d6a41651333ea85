"""Cursors by key: the place of the last row shown, so that nothing is shown twice or skipped."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta

from governance.core.errors import InvalidInput, Problem


def cursor_at(at: datetime, number: int) -> str:
    return urlsafe_b64encode(f"{at.isoformat()} {number}".encode()).decode().rstrip("=")


def place_of(cursor: str) -> tuple[datetime, int]:
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        at, number = text.rsplit(" ", 1)
        place = datetime.fromisoformat(at), int(number)
        # Lists give times in UTC only; one of another zone may lie where no database counts.
        if place[0].utcoffset() != timedelta(0) or abs(place[1]) >= 2**63:
            raise ValueError
    except ValueError:
        problem = Problem(path="cursor", message="This is no cursor that a list has given.")
        raise InvalidInput(problem.message, errors=[problem]) from None
    return place
