"""Artifacts by name, limited to what the caller may see."""

from outcomes.core import artifact_store
from outcomes.models import Artifact, Call


def artifact_with(project_id: int, sha256: str, environment_id: int | None) -> Artifact | None:
    """A stored artifact; with an environment, only one that its calls refer to."""
    if not artifact_store.is_name(sha256):
        return None
    artifact = Artifact.objects.filter(project=project_id, sha256=sha256).first()
    if artifact is None or environment_id is None:
        return artifact
    refers = Call.objects.filter(artifact=artifact, environment=environment_id).exists()
    return artifact if refers else None
