"""A rule of the shipped library, written into a draft for one tool that nobody's rule judges."""

from governance.checks.authoring.suggested_rules import name_for, new_text, with_suggested
from governance.checks.commands.drafts import (
    WRITE,
    begin_check_draft,
    keep_check_draft,
    keep_new_check_draft,
)
from governance.checks.language.shipped.rows import followed
from governance.checks.queries.checks import check_named, free_check_name, newest_check_version
from governance.checks.queries.drafts import check_draft_of, check_text_of, new_check_drafts_of
from governance.core.actor import Actor
from governance.core.errors import Conflict, NotFound
from governance.drafts.storage import writer
from governance.models import CheckDraft, Project


class RuleIsThere(Conflict):
    """A check of the project says this already."""

    code = "rule_is_there"

    def __init__(self, check: str) -> None:
        super().__init__(f"{check} has this rule already.")
        self.check = check


def draft_known_rule(
    project: Project, *, check: str, rule: str, tool: str, judge: str, by: Actor
) -> CheckDraft:
    """One's draft of the check that judges this tool now, begun or open already, with the rule.

    A check of the console has no draft: the one that is named after the tool has it, or a new one
    begins, which says what that one says.
    """
    person = writer(by, WRITE)
    if followed(check, rule) is None:
        raise NotFound("The console brings no such rule.")
    judging = check_named(project, judge) or check_named(project, name_for(tool))
    newest = newest_check_version(judging) if judging else None
    if judging is None or newest is None:
        return _in_a_new_one(project, person, check, rule, tool, judge, by=by)
    saved = check_text_of(newest)
    if with_suggested(saved, check, rule, tool) == saved:
        raise RuleIsThere(judging.name)
    mine = check_draft_of(judging, person)
    return keep_check_draft(
        judging,
        text=with_suggested(mine.text if mine else saved, check, rule, tool),
        base=mine.base if mine else newest.number,
        seen=mine.revision if mine else "",
        by=by,
    )


def _in_a_new_one(
    project: Project, person: int, check: str, rule: str, tool: str, judge: str, *, by: Actor
) -> CheckDraft:
    """In the one that is open for this tool already: of two checks only one could judge it."""
    begun = new_text(free_check_name(project, name_for(tool)), judge)
    of_tool = begun[: begun.index("rules:")]
    for mine in new_check_drafts_of(project, person):
        if mine.text.startswith(of_tool):
            text = with_suggested(mine.text, check, rule, tool)
            return keep_new_check_draft(mine, text=text, seen=mine.revision, by=by)
    return begin_check_draft(project, text=with_suggested(begun, check, rule, tool), by=by)
