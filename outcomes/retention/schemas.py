"""Bodies and queries of the API of retention."""

from typing import Annotated

from ninja import Field, Schema

from governance.core.errors import InvalidInput


class _Strict(Schema):
    model_config = {"extra": "forbid"}


class RuleIn(_Strict):
    kind: str
    days: Annotated[int, Field(ge=1)] | None = None  # null: forever
    env: str = ""


class RuleQuery(_Strict):
    kind: str
    env: str = ""


class HoldIn(_Strict):
    """A session or a search."""

    session: str = ""
    env: str = ""
    query: str = ""
    reason: str = ""

    def refuse_both(self) -> None:
        if bool(self.session) == bool(self.query):
            raise InvalidInput.at("query", "Give either `session` or `query`.")


class ErasureIn(_Strict):
    about: str
    name: str
