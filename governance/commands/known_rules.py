"""A rule of the shipped library, written into a draft for one tool that nobody's rule judges."""

from governance.commands.check_drafts import WRITE, begin_check_draft, keep_check_draft
from governance.commands.kept_texts import writer
from governance.domain.actor import Actor
from governance.domain.checks.shipped.rows import followed
from governance.domain.checks.suggested_rules import name_for, new_text, with_suggested
from governance.domain.errors import NotFound
from governance.models import CheckDraft, Project
from governance.queries.check_drafts import check_draft_of, check_text_of
from governance.queries.checks import check_named, free_check_name, newest_check_version


def draft_known_rule(
    project: Project, *, check: str, rule: str, tool: str, judge: str, by: Actor
) -> CheckDraft:
    """One's draft of the check that judges this tool now, begun or open already, with the rule.

    A check of the console has no draft: a new one begins, which says what that one says.
    """
    person = writer(by, WRITE)
    if followed(check, rule) is None:
        raise NotFound("The console brings no such rule.")
    judging = check_named(project, judge)
    newest = newest_check_version(judging) if judging else None
    if judging is None or newest is None:
        text = new_text(free_check_name(project, name_for(tool)), judge)
        return begin_check_draft(project, text=with_suggested(text, check, rule, tool), by=by)
    mine = check_draft_of(judging, person)
    return keep_check_draft(
        judging,
        text=with_suggested(mine.text if mine else check_text_of(newest), check, rule, tool),
        base=mine.base if mine else newest.number,
        seen=mine.revision if mine else "",
        by=by,
    )
