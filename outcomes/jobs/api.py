"""Reading one's own writes: an answer that waits until what came before it is settled."""

import threading
import time

from governance.core.errors import Unauthenticated
from governance.people.auth import AccessRequest, is_still_admitted
from outcomes.jobs.queries import is_settled, newest_batch

PAUSE = 0.025  # seconds
LONGEST_PAUSE = 0.5


def settled(request: AccessRequest, project_id: int, wait: int) -> bool:
    """Whether all that was acknowledged before this request is settled, given so many seconds."""
    up_to = newest_batch(project_id)
    if is_settled(project_id, up_to):
        return True
    is_done = _wait_until_settled(request, project_id, up_to, wait)
    if not is_still_admitted(request):
        raise Unauthenticated("The key or session of this request expired during the wait.")
    return is_done


def _wait_until_settled(request: AccessRequest, project_id: int, up_to: int, wait: int) -> bool:
    # The server sets it when the client leaves and when it stops.
    cut_short = request.META.get("edictum.cut_short") or threading.Event()
    began, ends = time.monotonic(), time.monotonic() + wait
    while (now := time.monotonic()) < ends:
        if cut_short.wait(pause(waited=now - began, of=wait)):
            return False
        if is_settled(project_id, up_to):
            return True
    return False


def pause(*, waited: float, of: float) -> float:
    """Seconds until the next look: a long wait can end a little late, so that many of them cost the
    database little."""
    return min(max(PAUSE, waited / 4), LONGEST_PAUSE, of - waited)
