"""Built-in success checks: one YAML file each, in this folder."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from governance.checks.language.shipped.versions import VERSIONS
from governance.checks.language.text import check_text
from governance.core.compiled_check import Compiled
from governance.core.errors import DocumentInvalid

__all__ = ["shipped", "shipped_text"]

_FOLDER = Path(__file__).resolve().parent


@cache
def shipped_text(name: str) -> str | None:
    """Text of a built-in check, byte for byte; None for an unknown name."""
    if name not in VERSIONS:
        return None
    return (_FOLDER / f"{name}.yaml").read_bytes().decode()


def shipped() -> Mapping[str, Compiled]:
    """All built-in checks by name. Each is compiled on first use: few projects use all of them."""
    return _SHIPPED


class _Shipped(Mapping[str, Compiled]):
    def __getitem__(self, name: str) -> Compiled:
        if name not in VERSIONS:
            raise KeyError(name)
        return _compiled(name)

    def __iter__(self) -> Iterator[str]:
        return iter(VERSIONS)

    def __len__(self) -> int:
        return len(VERSIONS)


_SHIPPED = _Shipped()


@cache
def _compiled(name: str) -> Compiled:
    checked = check_text(shipped_text(name) or "", included=_none, version=VERSIONS[name])
    if checked.problems or checked.compiled is None:
        raise DocumentInvalid(checked.problems)
    return checked.compiled


def _none(name: str) -> None:
    # A check that includes others can't be included, and built-in checks must be includable.
    return None
