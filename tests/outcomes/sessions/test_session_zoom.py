"""The visible range of a session chart and the links that change it."""

import pytest
from django.http import QueryDict

from outcomes.sessions.views.charts import Zoom, zoom_links, zoom_of


def shown(query: str, first: int = 1, last: int = 500) -> tuple[int, int]:
    zoom = zoom_of(QueryDict(query)).within(first, last)
    return zoom.first, zoom.last


@pytest.mark.parametrize(
    ("query", "stretch"),
    [
        ("", (1, 500)),
        ("first=100&last=200", (100, 200)),
        ("first=495&last=600", (481, 500)),
        ("first=200&last=100", (200, 219)),
        ("first=9999999999&last=x", (1, 500)),
        ("first=-4&last=7", (1, 20)),
    ],
)
def test_the_requested_range_is_clamped(query, stretch):
    assert shown(query) == stretch


def test_a_short_session_is_always_displayed_completely():
    assert shown("first=2&last=3", 1, 5) == (1, 5)


def links(zoom: Zoom, stop: int | None = None) -> dict[str, dict[str, str]]:
    zooms = zoom_links(zoom, zoom.within(1, 500), 1, 500, stop)
    return {link.name: link.query for link in zooms}


def test_the_full_view_links_to_the_calls_around_the_limit():
    assert links(Zoom(), stop=400) == {
        "all": {},
        "stop": {"first": "370", "last": "430"},
        "in": {"first": "126", "last": "375"},
    }


def test_a_zoomed_view_links_to_its_neighbors_and_preserves_other_parameters():
    zooms = links(Zoom(by="time", first=1, last=100, limit="pay"))
    carried = {"by": "time", "limit": "pay"}
    assert zooms == {
        "all": carried,
        "in": carried | {"first": "26", "last": "75"},
        "out": carried | {"first": "1", "last": "150"},
        "later": carried | {"first": "51", "last": "150"},
    }
