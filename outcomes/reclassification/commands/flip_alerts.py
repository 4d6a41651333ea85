"""A check that judges many calls anew is noticed: whoever changed it should have meant to."""

from typing import Final

from django.urls import reverse

from governance import findings
from governance.core.figures import percent, thousands
from outcomes.models import Rejudging
from outcomes.reclassification.domain.flips import Flip, Flips

FEWEST: Final = 20  # calls
MUCH: Final = 0.05  # of those that were judged


def notice_flips(done: Rejudging) -> None:
    """Of calls that count differently from now on; what is only tried counts nowhere."""
    if done.kind != Rejudging.Kind.RECLASSIFICATION or done.status != Rejudging.Status.DONE:
        return
    flips = Flips.of_json(done.result["flips"])
    if flips.flipped < FEWEST or flips.flipped < MUCH * flips.calls:
        return
    most = max(flips.by_tool, key=lambda tool: (_flipped(flips, tool), tool))
    findings.found(
        done.project_id,
        "check_flips",
        f"reclassification {done.pk}",
        why=f"{thousands(flips.flipped)} of {thousands(flips.calls)} calls have another verdict "
        f"now, {percent(flips.flipped / flips.calls)}; most of them of {most}.",
        link=reverse("outcomes:reclassification", args=[done.project.slug, done.pk]),
    )


def _flipped(flips: Flips, tool: str) -> int:
    return sum(flips.by_tool[tool].get(flip, 0) for flip in Flip if flip is not Flip.UNCHANGED)
