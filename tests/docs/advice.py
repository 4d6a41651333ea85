"""Sample code in docs/adapters.md equals the code that `make test-sdks` runs in the frameworks."""

import ast
from collections.abc import Iterator

from tests.docs.blocks import ROOT

PROGRAMS = ROOT / "tests" / "sdks" / "programs" / "adapters"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Dict


class _Plain(ast.NodeTransformer):
    """Normalizes code: no annotations, docstrings or decorators, and positional parameter names."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        plain = ast.copy_location(ast.Assign([node.target], node.value), node)
        return self.generic_visit(plain)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        return _renamed(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = _without_docstring(node.body)
        return self.generic_visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.returns, node.decorator_list = None, []
        node.body = _without_docstring(node.body)
        self.generic_visit(node)
        return _renamed(node)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(ast.Constant(str())), *rest] if rest:
            return rest
        case _:
            return body


def _renamed(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> ast.AST:
    places = {}
    for number, argument in enumerate(node.args.args):
        places[argument.arg] = argument.arg = f"argument_{number}"
        argument.annotation = None
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in places:
            inner.id = places[inner.id]
    return node


def _definitions(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(_Plain().visit(tree)):
        if isinstance(node, Definition) and not _is_the_readers(node):
            yield ast.unparse(node)


def _is_the_readers(node: Definition) -> bool:
    """Whether it is a placeholder tool whose body is `...`."""
    match node:
        case ast.FunctionDef(body=[ast.Expr(ast.Constant(value))]):
            return value is ...
        case _:
            return False


def not_run(text: str) -> list[str]:
    """Functions, classes, lambdas and tables of a snippet that no tested program contains."""
    run = {
        each for path in PROGRAMS.glob("*.py") for each in _definitions(ast.parse(path.read_text()))
    }
    return [each for each in _definitions(ast.parse(text)) if each not in run]
