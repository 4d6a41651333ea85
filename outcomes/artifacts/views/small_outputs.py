"""Stored outputs that a page reads within a request, limited in size and number."""

from collections.abc import Sequence
from typing import Final

from governance.core.json_value import Json
from outcomes.artifacts.commands.contents import Contents
from outcomes.record.call_columns import Row
from outcomes.record.classification import Unreadable
from outcomes.record.outcome import ToolArtifactReference

LARGEST: Final = 256 * 1024
ARTIFACT: Final = ToolArtifactReference.kind
TOGETHER: Final = 4 * 1024 * 1024
TOO_LARGE: Final = Unreadable("Larger than 256 KiB. Not read in the editor.")
TOO_MANY: Final = Unreadable("Too many large outputs to read in the editor.")


class OutputsAtHand:
    def __init__(self, project: int, rows: Sequence[Row]) -> None:
        self._project, self._left, self._contents = project, TOGETHER, Contents()
        names = (row.artifact_name for row in rows if row.kind == ARTIFACT)
        self._contents.learn((project, name) for name in names)

    def read(self, artifact_id: str) -> Json | Unreadable:
        size = self._contents.size_of(self._project, artifact_id)
        if size > LARGEST:
            return TOO_LARGE
        if size > self._left:
            return TOO_MANY
        self._left -= size
        return self._contents.value_or_fault(self._project, artifact_id)
