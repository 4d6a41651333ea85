"""Rejected items of one session, found by the session id in their stored excerpts."""

import json

from outcomes.models import RejectedItem


def rejected_of(environment: int, session_id: str) -> list[int]:
    spellings = {
        json.dumps(session_id, ensure_ascii=escaped).encode(errors="surrogatepass")
        for escaped in (False, True)
    }
    rows = RejectedItem.objects.filter(environment=environment).values_list("pk", "excerpt")
    return [
        pk
        for pk, excerpt in rows.iterator()
        if any(spelling in bytes(excerpt) for spelling in spellings)
    ]
