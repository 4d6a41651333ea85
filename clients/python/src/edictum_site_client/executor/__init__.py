"""A small bounded executor for tool calls: gates, deadlines, and exactly one outcome per call."""

from edictum_site_client.executor.artifacts import (
    ArtifactNotFound,
    ArtifactStore,
    ConsoleArtifacts,
    FolderArtifacts,
    StoredArtifact,
)
from edictum_site_client.executor.bounded import BoundedExecutor
from edictum_site_client.executor.gates import fits_signature
from edictum_site_client.executor.reading import read_file
from edictum_site_client.executor.tools import PermanentFailure, ToolCall, ToolSpec
from edictum_site_client.executor.turn import ReplayControl, State, TurnBudget, TurnState

__all__ = [
    "ArtifactNotFound",
    "ArtifactStore",
    "BoundedExecutor",
    "ConsoleArtifacts",
    "FolderArtifacts",
    "PermanentFailure",
    "ReplayControl",
    "State",
    "StoredArtifact",
    "ToolCall",
    "ToolSpec",
    "TurnBudget",
    "TurnState",
    "fits_signature",
    "read_file",
]
