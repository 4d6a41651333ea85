"""Alert on reclassifications that changed many verdicts, in case that was not intended."""

from typing import Final

from django.urls import reverse

from governance import findings
from governance.core.figures import percent, thousands
from governance.core.texts import code
from outcomes.models import Rejudging
from outcomes.reclassification.domain.flips import Flip, Flips

FEWEST: Final = 20  # calls
MUCH: Final = 0.05  # share of the calls checked


def notice_flips(done: Rejudging) -> None:
    """Open an alert if a reclassification changed many verdicts; impact previews change none."""
    if done.kind != Rejudging.Kind.RECLASSIFICATION or done.status != Rejudging.Status.DONE:
        return
    flips = Flips.from_json(done.result["flips"])
    if flips.flipped < FEWEST or flips.flipped < MUCH * flips.calls:
        return
    most = max(flips.by_tool, key=lambda tool: (_flipped(flips, tool), tool))
    findings.open_finding(
        done.project_id,
        "check_flips",
        f"reclassification {done.pk}",
        title=f"Reclassification changed {thousands(flips.flipped)} of"
        f" {thousands(flips.calls)} verdicts",
        why=f"{percent(flips.flipped / flips.calls)} of the calls, most of them {code(most)}."
        " If that wasn't intended, restore the previous check and reclassify again.",
        link=reverse("outcomes:reclassification", args=[done.project.slug, done.pk]),
    )


def _flipped(flips: Flips, tool: str) -> int:
    return sum(flips.by_tool[tool].get(flip, 0) for flip in Flip if flip is not Flip.UNCHANGED)
