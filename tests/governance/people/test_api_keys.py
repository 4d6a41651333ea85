"""Format of API keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.people.domain import (
    agent_within,
    bearer,
    environment_of,
    hint_of,
    new_key,
    with_implied,
)

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", fullmatch=True)


@given(NAMES)
def test_a_key_contains_its_environment(name):
    assert environment_of(new_key(name)) == name


def test_generated_keys_are_unique():
    assert len({new_key("production") for _ in range(100)}) == 100


def test_a_hint_shows_four_characters_of_the_random_part():
    key = new_key("dev_eu")
    assert hint_of(key) == f"edk_dev_eu_{key.rpartition('_')[2][:4]}…"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "edk_production_short",
        "edk__" + "a" * 40,
        "sk_production_" + "a" * 40,
        "edk_-x_" + "a" * 40,
    ],
)
def test_an_invalid_key_has_no_environment(text):
    assert environment_of(text) is None


@pytest.mark.parametrize("header", ["Bearer {}", "bearer {}", "Bearer  {} "])
def test_a_bearer_header_contains_a_key(header):
    key = new_key("production")
    assert bearer(header.format(key)) == key


@pytest.mark.parametrize("header", ["", "{}", "Basic {}", "Bearer", "Bearer x", "Bearer {} {}"])
def test_any_other_header_contains_no_key(header):
    assert bearer(header.format(*[new_key("production")] * 2)) is None


def test_the_agent_scope_includes_ingest_and_the_manage_scope_read():
    assert with_implied(frozenset({"agent"})) == {"agent", "ingest"}
    assert with_implied(frozenset({"manage"})) == {"manage", "read"}
    assert with_implied(frozenset({"ingest"})) == {"ingest"}


@pytest.mark.parametrize(
    ("glob", "agent"),
    [
        ("", "my-agent"),
        ("my-*", "my-agent"),
        ("billing-*", "billing-1"),
        ("b?t", "b1t"),
        ("it's", "my-agent"),
    ],
)
def test_a_sample_agent_name_matches_the_keys_glob(glob, agent):
    assert agent_within(glob) == agent
