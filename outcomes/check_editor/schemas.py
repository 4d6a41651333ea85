"""Requests of the API that tries a check."""

import json
from typing import Self

from ninja import Schema
from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from outcomes.web.schemas import Text


class CheckTrialIn(Schema):
    """The text of a check, tried on a result that is given or on calls that are stored."""

    model_config = ConfigDict(extra="forbid")

    yaml: str
    tool_name: Text = ""
    result: JsonValue = None
    elapsed_ms: float | None = Field(None, ge=0, allow_inf_nan=False)
    call_ids: list[Text] | None = Field(None, max_length=200)
    env: Text = ""  # of the calls; without it the newest of each id
    newer_included: bool = False  # of what its newest version includes

    @model_validator(mode="after")
    def on_one_thing(self) -> Self:
        given = {"tool_name", "result", "elapsed_ms"} & self.model_fields_set
        if self.call_ids is not None and given:
            raise ValueError("Give either `call_ids`, or `tool_name` and `result`.")
        if self.call_ids is None and "result" not in given:
            raise ValueError("Give a `result` (which may be null), or `call_ids`.")
        return self

    @field_validator("result")
    @classmethod
    def is_json(cls, value: JsonValue) -> JsonValue:
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            raise ValueError("NaN, infinities and lone surrogates are not JSON.") from None
        return value
