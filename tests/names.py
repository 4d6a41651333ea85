"""Finds names and docstrings that don't say what a thing is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

# Words that name nothing, banned in identifiers and module names.
EMPTY_WORDS = (
    *("told", "tell", "taken", "look", "asked", "wanted", "found", "whole", "anew", "alike"),
    *("beside", "standing", "said", "kept"),
)
NO_BEGINNINGS = ("Of", "Who", "What", "Whose", "Where", "That")  # of docstrings
# Fields of the API and the wire format, which clients depend on, and the 404 page.
FIXED = frozenset({"kept_at", "asked_by", "not_found"})

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def empty_names(file: Path) -> Iterator[str]:
    """Bad identifiers and docstrings of one module, each as file:line: text."""
    tree = ast.parse(file.read_text())
    if _is_empty(file.stem):
        yield f"{file}: the module's name"
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if (name := _bound_name(node)) and _is_empty(name):
            yield f"{file}:{line}: {name}"
        if _is_function(node) and name.lstrip("_").startswith("of_"):
            yield f"{file}:{line}: {name}"
        if isinstance(node, ast.ClassDef) and "each" in _own_names(node):
            yield f"{file}:{line}: {name}.each"
        if (text := _docstring(node)) and text.split(maxsplit=1)[0] in NO_BEGINNINGS:
            yield f"{file}:{line}: {text.splitlines()[0]}"


def _is_empty(name: str) -> bool:
    words = _CAPITAL.sub("_", name).lower().split("_")
    if name in FIXED or name.endswith("NotFound"):  # a usual name for exceptions
        return False
    return not set(EMPTY_WORDS).isdisjoint(words)


def _bound_name(node: ast.AST) -> str:
    """Name that a node binds, or an empty string."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.arg():
            return node.arg
        case ast.Name(ctx=ast.Store()):
            return node.id
        case ast.Attribute(ctx=ast.Store()):
            return node.attr
        case ast.alias() | ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            return (node.asname if isinstance(node, ast.alias) else node.name) or ""
        case _:
            return ""


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _own_names(node: ast.ClassDef) -> set[str]:
    return {
        part.target.id
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def _docstring(node: ast.AST) -> str:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.get_docstring(node) or ""
    return ""
