"""Parameters of the call routes."""

from pydantic import Field

from outcomes.web.schemas import CallFilterQuery, Page, Text, Waiting


class CallsQuery(CallFilterQuery, Page):
    pass


class OneCallQuery(Waiting):
    env: Text = ""


class EventsQuery(Waiting):
    agent_id: Text = ""
    session_id: Text = ""
    limit: int = Field(50, ge=1, le=1_000)
