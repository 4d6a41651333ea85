"""A value that is made quickly is the frozen value that it would have been."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from governance.core.made_often import made_often


@dataclass(frozen=True, slots=True)
class Slow:
    name: str
    number: int = 7
    labels: tuple[str, ...] = field(default=(), kw_only=True)


@made_often
@dataclass(frozen=True, slots=True)
class Quick:
    name: str
    number: int = 7
    labels: tuple[str, ...] = field(default=(), kw_only=True)


GIVEN = [
    (("a",), {}),
    (("a", 1), {}),
    (("a",), {"labels": ("x",)}),
    ((), {"number": 2, "name": ""}),
]


@pytest.mark.parametrize(("places", "names"), GIVEN)
def test_it_has_the_same_fields(places, names):
    slow, quick = Slow(*places, **names), Quick(*places, **names)
    assert (quick.name, quick.number, quick.labels) == (slow.name, slow.number, slow.labels)
    assert (type(quick), repr(quick)) == (Quick, repr(slow).replace("Slow", "Quick"))
    assert quick == Quick(*places, **names)
    assert hash(quick) == hash(slow)
    assert replace(quick, number=9) == Quick(quick.name, 9, labels=quick.labels) != quick


@pytest.mark.parametrize("places", [(), ("a", 1, ("x",))])
def test_it_asks_for_the_same_fields(places):
    for kind in (Slow, Quick):
        with pytest.raises(TypeError):
            kind(*places)


def test_it_is_frozen():
    quick = Quick("a")
    with pytest.raises(FrozenInstanceError):
        quick.name = "b"  # type: ignore[misc]  # what is tried
    with pytest.raises(FrozenInstanceError):
        del quick.name
    assert quick == Quick("a")


def test_fields_that_are_more_than_given_are_refused():
    @dataclass(frozen=True, slots=True)
    class Lists:
        lists: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match="Lists"):
        made_often(Lists)
