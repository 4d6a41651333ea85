"""JSON pointers into stored values."""

import pytest

from governance.core.json_value import Json
from outcomes.masking.domain.json_pointers import NoSuchPlace, below, value_at

VALUE: Json = {"a": [{"b/c": 1, "d~e": 2}], "": 3}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("/a/0/b~1c", 1), ("/a/0/d~0e", 2), ("/", 3), ("", VALUE), ("/a/0", {"b/c": 1, "d~e": 2})],
)
def test_a_pointer_resolves_to_its_value(pointer, value):
    assert value_at(VALUE, pointer) == value


@pytest.mark.parametrize("pointer", ["/b", "/a/1", "/a/-1", "/a/\u0663", "a", "/a/0/b~1c/x"])
def test_an_unresolvable_pointer_is_rejected(pointer):
    with pytest.raises(NoSuchPlace):
        value_at(VALUE, pointer)


def test_pointers_are_built_from_escaped_names():
    assert value_at(VALUE, below(below(below("", "a"), 0), "d~e")) == 2
    assert value_at(VALUE, below(below(below("", "a"), 0), "b/c")) == 1
