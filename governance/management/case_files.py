"""A contract's tests as a file next to it, in the format of the API's request body."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from governance.cases.commands import refuse_unfit_cases
from governance.cases.schemas import CasesIn, case_as_sent
from governance.core.cases import Case
from governance.core.errors import InvalidInput, Problem
from governance.core.json_text import json_written, read_json
from governance.core.json_value import Json

ENDING: Final = ".tests.json"
LARGEST: Final = 16 * 1024 * 1024  # larger than the maximum number of tests at maximum size


def tests_path(contract: Path) -> Path:
    return contract.with_suffix(ENDING)


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read the tests in a file. Raises InvalidInput with the position of each problem."""
    if (size := path.stat().st_size) > LARGEST:
        raise InvalidInput(f"The file has {size:,} bytes; at most {LARGEST:,} are read.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"This is not UTF-8, from byte {error.start:,} on.") from error
    try:
        cases = tuple(each.case() for each in CasesIn.model_validate(read_json(text)).cases)
    except ValidationError as refused:
        problems = [
            Problem(path=".".join(map(str, each["loc"])), message=_without_prefix(each["msg"]))
            for each in refused.errors(include_url=False, include_input=False)
        ]
        raise InvalidInput(str(problems[0]), errors=problems) from refused
    refuse_unfit_cases(cases)
    return cases


def written(cases: Sequence[Case]) -> bytes:
    """Serialize tests; equal tests give equal bytes."""
    items: list[Json] = [case_as_sent(case) for case in cases]
    return f"{json_written({'cases': items}, indent=2)}\n".encode()


def changed_cases(before: Sequence[Case], after: Sequence[Case]) -> Iterator[str]:
    """Describe changes to tests: old tests in their order, then new ones."""
    old, new = ({case.name: case for case in cases} for cases in (before, after))
    for name, case in old.items():
        if name not in new:
            yield f"test “{name}” removed"
        elif new[name] != case:
            yield f"test “{name}” changed"
    yield from (f"test “{name}” added" for name in new if name not in old)
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield "tests in another order"


def _without_prefix(words: str) -> str:
    return words.removeprefix("Value error, ")
