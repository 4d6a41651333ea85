"""Body of the API of masking."""

from typing import Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from governance.core.masks.detectors import SHOWN_DETECTORS, Detector

DEFAULT = [each.value for each in Detector if each in SHOWN_DETECTORS]


class MaskingIn(Schema):
    model_config = ConfigDict(extra="forbid")

    mode: Literal["shown", "stored"]
    detectors: list[str] = Field(default=DEFAULT, max_length=50)
    patterns: str = Field("", max_length=20_000, description="One per line: name inside pattern")
