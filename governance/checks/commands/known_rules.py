"""Adds a rule of a built-in check to a draft for one tool."""

from governance.checks.authoring.suggested_rules import new_text, with_suggested
from governance.checks.commands.drafts import (
    WRITE,
    begin_check_draft,
    keep_check_draft,
    keep_new_check_draft,
)
from governance.checks.language.shipped.rows import followed
from governance.checks.queries.drafts import check_draft_of, check_text_of
from governance.checks.queries.known_rules import new_drafts_for, new_name_for, newest_for
from governance.core.actor import Actor
from governance.core.errors import Conflict, NotFound
from governance.drafts.storage import writer
from governance.models import CheckDraft, Project


class RuleIsThere(Conflict):
    """The project's check already has this rule."""

    code = "rule_is_there"

    def __init__(self, check: str) -> None:
        super().__init__(f"{check} already has this rule.")
        self.check = check


def draft_known_rule(
    project: Project, *, check: str, rule: str, tool: str, judge: str, by: Actor
) -> CheckDraft:
    """Add the rule to the person's draft, new or open, of the check that decides for this tool.

    Built-in checks have no drafts: the check named after the tool gets the rule, or a new one that
    includes the built-in one.
    """
    person = writer(by, WRITE)
    if followed(check, rule) is None:
        raise NotFound("Built-in rule not found.")
    newest = newest_for(project, judge, tool)
    if newest is None:
        return _in_a_new_one(project, person, check, rule, tool, judge, by=by)
    own, saved = newest.success_check, check_text_of(newest)
    if with_suggested(saved, check, rule, tool) == saved:
        raise RuleIsThere(own.name)
    mine = check_draft_of(own, person)
    return keep_check_draft(
        own,
        text=with_suggested(mine.text if mine else saved, check, rule, tool),
        base=mine.base if mine else newest.number,
        seen=mine.revision if mine else "",
        by=by,
    )


def _in_a_new_one(
    project: Project, person: int, check: str, rule: str, tool: str, judge: str, *, by: Actor
) -> CheckDraft:
    """Add the rule to an open draft for this tool, if any: only one check can decide for it."""
    name = new_name_for(project, tool)
    for mine in new_drafts_for(project, person, name, judge):
        text = with_suggested(mine.text, check, rule, tool)
        return keep_new_check_draft(mine, text=text, seen=mine.revision, by=by)
    text = with_suggested(new_text(name, judge), check, rule, tool)
    return begin_check_draft(project, text=text, by=by)
