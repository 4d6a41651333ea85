"""Contract pages: the list, new contracts, a contract and its versions."""

import html

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from governance.contracts.commands.contracts import save_version
from governance.contracts.domain.templates import templates
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.delivery.commands.assignments import assign
from governance.models import BundleVersion, Deployment, Draft
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.serving import IN_OLD_WORDS, TEXT, deployed
from tests.outcomes.pages import Pages, text_of

QUERIES = 12
OTHER = TEXT.replace("equals: 1", "equals: 2")


@pytest.fixture
def editor(project) -> Pages:
    return _pages(project, Role.EDITOR)


@pytest.fixture
def viewer(project) -> Pages:
    return _pages(project, Role.VIEWER)


def _pages(project, role: Role) -> Pages:
    seen = Pages(builders.signed_in(builders.a_member(project, role).user), project.slug)
    seen.get("alerts/")  # the first visit stores the last used project
    return seen


def saved(project, *texts: str) -> BundleVersion:
    for text in texts:
        version, _ = save_version(project, document=text, message="Why", by=CONSOLE)
    return version


def post(pages: Pages, **fields):
    return pages.client.post(f"{pages.base}/contracts/new/", fields)


def test_an_empty_list_says_what_to_do(editor, viewer):
    assert "No contracts yet" in editor.text("contracts/")
    assert "New contract" in editor.text("contracts/")
    assert "You need the editor role" in viewer.text("contracts/")


def test_the_list_has_the_deployed_version_per_environment(project, viewer):
    deployed(project, env="production")
    deployed(project, env="staging")
    saved(project, OTHER, document(pre(ALWAYS)).replace("name: d", "name: draft"))
    text = viewer.text("contracts/")
    assert "2 contracts, 1 deployed" in text
    assert "d v2 production v1 staging v1" in text
    assert "draft v1 no" in text


def test_a_template_becomes_a_draft_with_an_unused_name(project, editor):
    began = post(editor, **{"from": "template:file-agent"})
    draft = Draft.objects.get()
    assert began["Location"].endswith(f"/contracts/drafts/{draft.pk}/")
    assert "name: file-agent" in draft.text
    saved(project, draft.text)
    post(editor, **{"from": "template:file-agent"})
    assert "name: file-agent-2" in Draft.objects.get(text__contains="file-agent-2").text
    assert "Your drafts" in editor.text("contracts/")


def test_every_template_is_offered(editor):
    text = editor.text("contracts/new/")
    for template in templates():
        assert template.title in text
        assert template.description in text


def test_a_new_contract_can_start_from_an_existing_one(project, editor):
    saved(project, TEXT)
    post(editor, **{"from": "contract:d"})
    assert Draft.objects.get().text == TEXT.replace("name: d", "name: d-2")


@pytest.mark.parametrize("start", ["template:nothing", "contract:nothing", "else:d", "", "\0"])
def test_starting_from_an_unknown_source_is_404(editor, start):
    assert post(editor, **{"from": start}).status_code == 404


def test_pasted_yaml_is_saved_with_unix_line_endings(editor):
    post(editor, text=TEXT.replace("\n", "\r\n"))
    assert Draft.objects.get().text == TEXT


def test_an_uploaded_file_preserves_its_line_endings(editor):
    written = IN_OLD_WORDS.replace("\n", "\r\n")
    post(editor, file=SimpleUploadedFile("d.yaml", written.encode()))
    assert Draft.objects.get().text == written


def test_an_invalid_contract_can_be_saved_as_a_draft(editor):
    answer = post(editor, text=TEXT.replace("type: pre", "type: prae", 1))
    page = text_of(editor.client.get(answer["Location"]))
    assert "prae" in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Paste a contract here, or choose a file."),
        ({"text": "a: \0"}, "Null characters are not allowed."),
        ({"file": b"a: \xff"}, "The file is not UTF-8. Save it as UTF-8."),
        ({"file": b"a: \0"}, "The text contains NUL"),
        ({"file": b"x" * 600_000}, "The file has 600,000 bytes"),
    ],
)
def test_input_that_cannot_be_a_draft_is_rejected_with_a_reason(editor, fields, words):
    if "file" in fields:
        fields = {"file": SimpleUploadedFile("d.yaml", fields["file"])}
    answer = post(editor, **fields)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Draft.objects.exists()


def test_a_contract_page_has_its_deployments_and_latest_changes(project, viewer):
    deployed(project)
    deployed(project, env="staging")
    saved(project, OTHER)
    text = viewer.text("contracts/b/d/")
    assert "d v2 isn't deployed, 2 environments run older versions" in text
    assert "2: 2 pre" in text
    assert "Changes v1 → v2" in text
    assert "b · args.x is was 1 → is 2" in text
    assert "1 change, not counting formatting" in text
    assert "changes in v2" in text
    assert "2 versions (immutable)" in text


def test_a_first_version_has_no_comparison(project, viewer):
    saved(project, TEXT)
    text = viewer.text("contracts/b/d/")
    assert "d v1 isn't deployed" in text
    assert "Verify before deploying" in text


def test_a_contract_page_lists_its_assigned_agents(project, viewer):
    deployed(project)
    assign(project, env="production", agent="bot-*", bundle_name="d", by=CONSOLE)
    assert "bot-* in production" in viewer.text("contracts/b/d/")
    tags = {"team": "pay", "size": "m"}
    assign(project, env="production", tags=tags, bundle_name="d", by=CONSOLE)
    assert "* with size=m , team=pay in production" in viewer.text("contracts/b/d/")


def test_older_versions_are_on_the_next_page(project, viewer):
    saved(project, *(TEXT.replace("equals: 1", f"equals: {number}") for number in range(25)))
    text = viewer.text("contracts/b/d/")
    assert "20 of 25" in text
    assert "v5" not in text.partition("Versions")[2]
    assert "v5" in viewer.text("contracts/b/d/", before=6).partition("Versions")[2]


def test_a_version_page_has_its_yaml_its_outline_and_its_warnings(project, viewer):
    odd = TEXT.replace("args.x", "arg.x")
    saved(project, odd, TEXT)
    text = viewer.text("contracts/b/d/versions/1/")
    assert "d v1 isn't deployed, the newest is v2" in text
    assert "kind : Ruleset" in text
    assert "pre, * : asks (5 min, then denies) when arg.x is 1" in text
    assert "Did you mean args.x ?" in text
    assert "Warnings" not in viewer.text("contracts/b/d/text/")


def test_a_version_page_warns_about_patterns_that_exceed_the_budget(project, viewer):
    hopeless = "{matches: '^(a+)+$'}"
    saved(project, TEXT.replace("{equals: 1}", hopeless))
    text = viewer.text("contracts/b/d/text/")
    assert "Warnings" in text
    assert "would block the agent" in text


def test_any_two_versions_can_be_compared_by_meaning_and_as_a_diff(project, viewer):
    saved(project, TEXT, OTHER, OTHER + "\n# a word\n")
    text = viewer.text("contracts/b/d/compare/", old=1, new=3)
    assert "d v1 → v3: 1 change" in text
    assert "equal line" in text
    assert "# a word" in text
    assert "differ in formatting only" in viewer.text("contracts/b/d/compare/")
    back = viewer.text("contracts/b/d/compare/", old=2, new=1)
    assert "was 2 → is 1" in back
    shown = viewer.text("contracts/b/d/compare/", old=1, new=2, whole="")
    assert "equal line" not in shown


def test_the_compare_form_preserves_the_selected_time_range(project, viewer):
    saved(project, TEXT, OTHER)
    time = {"from": "2026-11-01T00:00Z", "to": "2026-11-02T00:00Z"}
    page = viewer.get("contracts/b/d/compare/", **time, old=2, new=1).content.decode()
    form = page[page.index("compare-form") :].partition("</form>")[0]
    for name, value in time.items():
        assert f'type="hidden" name="{name}" value="{value}"' in form
    assert form.count('type="hidden"') == 2
    listed = viewer.get("contracts/b/d/", **time).content.decode()
    assert "from=2026-11-01T00%3A00Z&amp;to=2026-11-02T00%3A00Z&amp;new=2" in listed


def test_a_version_compared_with_itself_says_so(project, viewer):
    saved(project, TEXT)
    assert "compared with itself" in viewer.text("contracts/b/d/compare/")


def test_a_version_can_be_downloaded_in_either_format(project, viewer):
    saved(project, IN_OLD_WORDS)
    text = "contracts/b/d/versions/1/download/"
    written, twin = viewer.get(text), viewer.get(text, dialect="new")
    assert (written.content.decode(), twin.content.decode()) == (IN_OLD_WORDS, TEXT)
    assert written["Content-Disposition"] == 'attachment; filename="d-v1.yaml"'
    assert twin["Content-Disposition"] == 'attachment; filename="d-v1.new-dialect.yaml"'


@pytest.mark.parametrize(
    "path",
    [
        "b/nothing/",
        "b/Nothing/",
        "b/d/versions/9/",
        "b/d/compare/?old=7&new=1",
        "b/d/versions/9/download/",
    ],
)
def test_an_unknown_address_is_404(project, viewer, path):
    saved(project, TEXT)
    assert viewer.client.get(f"{viewer.base}/contracts/{path}").status_code == 404


def test_contracts_of_other_projects_are_404(project):
    saved(project, TEXT)
    stranger = _pages(builders.a_project(), Role.ADMIN)
    assert "No contracts yet" in stranger.text("contracts/")
    assert stranger.get("contracts/b/d/").status_code == 404


@pytest.mark.parametrize(
    "path", ["", "b/d/", "b/d/text/", "b/d/versions/1/", "b/d/compare/?old=1&new=3", "new/"]
)
def test_the_query_count_does_not_grow_with_the_number_of_contracts(
    project, editor, path, django_assert_max_num_queries
):
    for number in range(12):
        deployed(project, name=f"other-{number}", env=f"env-{number}")
        deployed(project, env=f"env-{number}")
    saved(project, *(TEXT.replace("equals: 1", f"equals: {number}") for number in range(9, 30)))
    with django_assert_max_num_queries(QUERIES):
        assert editor.client.get(f"{editor.base}/contracts/{path}").status_code == 200


def test_markup_in_a_contract_is_escaped(project, viewer):
    text = document(pre("{args.x: {equals: '<script>x</script>'}}", message="<img src=x>"))
    saved(project, document(pre(ALWAYS)), text)
    for path in ("contracts/b/d/", "contracts/b/d/text/", "contracts/b/d/compare/"):
        body = viewer.get(path).content.decode()
        assert "<script>x" not in body
        assert "<img" not in body
        assert "<script>x</script>" in text_of(viewer.get(path))


def test_a_contract_page_has_sample_code_for_each_deployed_environment(project, viewer):
    deployed(project, env="production")
    assert 'bundle_name="d"' in html_of(viewer, "contracts/b/d/")
    deployed(project, env="staging")
    assert 'env="staging"' in html_of(viewer, "contracts/b/d/?use=staging")
    assert 'env="production"' in html_of(viewer, "contracts/b/d/?use=nowhere")


def test_sample_code_of_an_undeployed_contract_says_so(project, viewer):
    saved(project, TEXT)
    assert "Not deployed in production." in viewer.text("contracts/b/d/")


def test_a_deployment_page_has_sample_code_for_its_environment(project, viewer):
    deployed(project, env="staging")
    number = Deployment.objects.get().pk
    assert 'env="staging", bundle_name="d",' in html_of(viewer, f"contracts/deployments/{number}/")


def html_of(pages, path):
    return html.unescape(pages.get(path).text)
