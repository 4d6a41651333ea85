"""Status of a built-in rule for one tool: in a draft, in a saved check, or not used yet."""

from dataclasses import dataclass

from governance.checks.authoring.suggested_rules import has_suggested, name_for, new_text
from governance.checks.queries.checks import free_check_name, is_ours, own_version
from governance.checks.queries.drafts import check_draft_of, check_text_of, new_check_drafts_of
from governance.models import CheckDraft, CheckVersion, Project


@dataclass(frozen=True, slots=True)
class RulePlace:
    name: str  # of the check that has or will get the rule
    number: int  # of the version that has the rule, or the next one
    saved: CheckVersion | None = None
    draft: CheckDraft | None = None  # the person's own


def newest_for(project: Project, judge: str, tool: str) -> CheckVersion | None:
    """Newest version of the project's own check that gets a rule for this tool: the one that
    decides its verdicts, else the one named after the tool."""
    names = [name for name in dict.fromkeys((judge, name_for(tool))) if not is_ours(name)]
    versions = (own_version(project, name, without=["packed"]) for name in names)
    return next((version for version in versions if version is not None), None)


def place_of_rule(
    project: Project, person: int, *, check: str, rule: str, tool: str, judge: str
) -> RulePlace:
    newest = newest_for(project, judge, tool)
    if newest is None:
        name = new_name_for(project, tool)
        drafts = new_drafts_for(project, person, name, judge)
        draft = next((each for each in drafts if has_suggested(each.text, check, rule, tool)), None)
        return RulePlace(name, 1, draft=draft)
    if has_suggested(check_text_of(newest), check, rule, tool):
        return RulePlace(newest.name, newest.number, saved=newest)
    mine = check_draft_of(newest.success_check, person)
    if mine is not None and not has_suggested(mine.text, check, rule, tool):
        mine = None
    return RulePlace(newest.name, newest.number + 1, draft=mine)


def new_drafts_for(project: Project, person: int, name: str, judge: str) -> list[CheckDraft]:
    """The person's drafts of a new check of this name that were started from a suggestion."""
    begun = new_text(name, judge)
    head = begun[: begun.index("rules:")]
    mine = new_check_drafts_of(project, person)
    return [each for each in mine if each.text.startswith(head)]


def new_name_for(project: Project, tool: str) -> str:
    """Name of a new check for this tool. No project check has it: see `newest_for`."""
    name = name_for(tool)
    return free_check_name(project, name) if is_ours(name) else name
