"""Named checks for tests: texts, saved versions and bindings."""

from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain import Binding
from governance.checks.queries.bindings import Bindings
from governance.core.actor import CONSOLE
from governance.models import CheckVersion, Project

FAILS = "{when: {result.ok: {equals: false}}, id: not-ok, verdict: failure}"


def check_text(
    *rules: str,
    name: str = "mine",
    otherwise: str = "success",
    include: tuple[str, ...] = (),
    examples: tuple[str, ...] = (),
) -> str:
    lines = [
        "apiVersion: edictum-site/v1",
        "kind: SuccessCheck",
        f"metadata: {{name: {name}, description: What {name} is for}}",
        f"otherwise: {otherwise}",
        *([f"include: [{', '.join(include)}]"] if include else []),
        "rules:" if rules else "rules: []",
        *(f"  - {rule}" for rule in rules),
        *(["examples:"] if examples else []),
        *(f"  - {example}" for example in examples),
    ]
    return "\n".join(lines) + "\n"


def a_check(project: Project, *rules: str, name: str = "mine", **more: object) -> CheckVersion:
    text = check_text(*(rules or (FAILS,)), name=name, **more)  # type: ignore[arg-type]  # its own words
    return save_check(project, document=text, by=CONSOLE)[0]


def bound(project: Project, *lines: str) -> Bindings:
    """Bindings from rows `environment agent tool check`, or `tool check` for every agent."""
    parts = [line.split() for line in lines]
    return bind(
        project,
        [Binding(*part) if len(part) == 4 else Binding("*", "*", *part) for part in parts],
        by=CONSOLE,
    )
