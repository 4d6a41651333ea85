"""Current documents that name something by its id."""

from governance.contracts.queries.naming import Naming, documents_naming
from tests import builders
from tests.governance.casing import TEXT, a_case, added, saved
from tests.governance.naming import a_check

ID = "0123456789abcdef" * 4


def test_contracts_checks_and_tests_that_name_an_id_are_listed(project):
    version = saved(project, f"# {ID}\n{TEXT}")
    added(version.bundle, a_case("reads it", path=f"/artifacts/{ID}"), a_case("another"))
    check = a_check(
        project, f"{{id: it, when: {{result.id: {{equals: '{ID}'}}}}, verdict: failure}}"
    )
    name = version.bundle.name
    assert documents_naming(project, ID) == [
        Naming("contract", name, 1),
        Naming("check", check.success_check.name, 1),
        Naming("test", name, None, "reads it"),
    ]
    assert documents_naming(builders.a_project(), ID) == []


def test_names_of_older_versions_are_not_listed(project):
    saved(project, f"# {ID}\n{TEXT}")
    saved(project, TEXT)
    assert documents_naming(project, ID) == []


def test_a_short_name_is_not_searched(project):
    saved(project, TEXT)
    assert documents_naming(project, "args") == []
