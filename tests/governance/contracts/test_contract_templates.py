"""Templates of contracts are valid, commented and free of warnings."""

import pytest

from governance.contracts.domain.meaning import changes
from governance.contracts.domain.templates import Template, template_named, templates
from governance.evaluation.engine import Engine, ToolCall
from governance.lint.surprises import lint
from governance.texts.document import read_document
from governance.texts.metadata import under_name

TEMPLATES = [pytest.param(each, id=each.name) for each in templates()]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_valid_and_named_like_its_file(engine: Engine, template: Template):
    read = engine.validate(template.document)
    assert (read.errors, read.name) == ((), template.name)
    assert read.rules >= 4


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_has_no_warnings(engine: Engine, template: Template):
    assert lint(template.document, tools=None) == ()
    assert engine.validate(template.document).warnings == ()


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_has_comments_and_a_one_sentence_description(template: Template):
    comments = [line for line in template.document.text.splitlines() if line.strip()[:1] == "#"]
    assert len(comments) >= 2
    assert template.description.endswith(".")
    assert len(template.description) < 100


@pytest.mark.parametrize("template", TEMPLATES)
def test_renaming_a_template_changes_only_its_name(template: Template):
    other = read_document(under_name(template.document.text, "my-own.contract"))
    assert [str(each) for each in changes(template.document, other)] == [
        f"the document, name: {template.name} → my-own.contract"
    ]
    assert len(other.text.splitlines()) == len(template.document.text.splitlines())


DENIED = {
    "file-agent": ("read_file", {"path": "/workspace/.env"}),
    "research-agent": ("fetch_url", {"url": "http://169.254.169.254/latest/meta-data"}),
    "devops-agent": ("run_command", {"command": "rm -rf /srv"}),
    "support-agent": ("reply", {"text": "Your card 4111 1111 1111 1111 was charged"}),
    "payments-agent": ("pay", {"amount": 20_000, "currency": "EUR", "receiver": "x"}),
    "data-analyst": ("run_query", {"sql": "DELETE FROM users"}),
}
WHO = {"role": "accountant", "ticket_ref": "T-1", "user_id": "u"}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_denies_the_call_it_is_meant_to_prevent(engine: Engine, template: Template):
    tool, arguments = DENIED[template.name]
    call = ToolCall(tool_name=tool, tool_args=arguments, principal=WHO)
    assert engine.evaluate_call(template.document, call).action == "block"


def test_an_unknown_template_name_returns_none():
    assert template_named("nothing") is None
