"""Reading one's own writes: an answer that waits until what came before it is settled.

Under the front nobody waits on a thread: the request is put aside and asked again after a pause.
Whoever is told something after a wait must still be somebody who may know it: the front asks as a
new request does, and who waits here is asked for the key again.
"""

import time

from django.http import HttpRequest, HttpResponse

from governance.core.errors import Unauthenticated
from governance.people.auth import resolve_key
from outcomes.jobs.queries import is_settled, newest_batch

PAUSE = 0.025  # seconds
LONGEST_PAUSE = 0.5


class NotYet(Exception):
    """There is nothing to answer yet; the front is to ask again after a pause."""

    def __init__(self, *, waited: float, of: float) -> None:
        super().__init__()
        # Who has waited for long can wait a little longer: hundreds who ask forty times a second
        # each would leave no thread to those who post.
        self.pause = min(max(PAUSE, waited / 4), LONGEST_PAUSE, of - waited)

    def response(self) -> HttpResponse:
        return HttpResponse(status=202, headers={"X-Edictum-Again": str(int(self.pause * 1000))})


def settled(request: HttpRequest, project_id: int, wait: int) -> bool:
    """Whether all that was acknowledged before this request is settled, given so many seconds."""
    memory = request.META.get("edictum.memory")
    if memory is None:  # without the front there is nobody to ask again: wait here
        up_to, end = newest_batch(project_id), time.monotonic() + wait
        while not is_settled(project_id, up_to):
            if time.monotonic() >= end:
                return False
            time.sleep(PAUSE)
            _refuse_if_revoked(request)
        return True
    if "up_to" not in memory:
        memory["up_to"] = newest_batch(project_id)
    if is_settled(project_id, memory["up_to"]):
        return True
    if request.META["edictum.waited"] >= wait:
        return False
    raise NotYet(waited=request.META["edictum.waited"], of=wait)


def _refuse_if_revoked(request: HttpRequest) -> None:
    key = request.META.get("HTTP_AUTHORIZATION", "")
    if key and resolve_key(key) is None:
        raise Unauthenticated("The API key of this request has ended while it waited.")
