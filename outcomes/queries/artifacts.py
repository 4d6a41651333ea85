"""Artifacts: found by their name, within what the asker may see."""

from collections.abc import Iterable
from dataclasses import dataclass

from outcomes import artifact_store
from outcomes.domain.outcome import ToolArtifactReference
from outcomes.models import Artifact, Call
from outcomes.queries.calls import WholeCall


@dataclass(frozen=True, slots=True)
class ArtifactOfCall:
    artifact_id: str
    call_id: str
    size_bytes: int


def artifact_with(project_id: int, sha256: str, environment_id: int | None) -> Artifact | None:
    """A stored artifact; with an environment, only one that its calls refer to."""
    if not artifact_store.is_name(sha256):
        return None
    artifact = Artifact.objects.filter(project=project_id, sha256=sha256).first()
    if artifact is None or environment_id is None:
        return artifact
    refers = Call.objects.filter(artifact=artifact, environment=environment_id).exists()
    return artifact if refers else None


def artifacts_among(calls: Iterable[WholeCall]) -> list[ArtifactOfCall]:
    return [
        ArtifactOfCall(outcome.artifact_id, whole.row.call_id, outcome.size_bytes)
        for whole in calls
        if isinstance(outcome := whole.folded.outcome, ToolArtifactReference)
    ]
