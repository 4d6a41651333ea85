"""Profile names, wherever a page says who did something."""

from governance.core.roles import Role
from governance.people.commands.people import change_profile
from tests import builders
from tests.outcomes.pages import Pages


def test_pages_display_a_members_name_and_their_email_on_hover(project):
    member = builders.a_member(project, Role.ADMIN)
    pages = Pages(builders.signed_in(member.user), project.slug)
    pages.client.post(f"{pages.base}/settings/name/", {"name": "Renamed"})
    assert member.user.email in pages.text("settings/audit/")
    change_profile(member.user, name="Ada Park", zone="", time_range="24h", single_keys=True)
    page = pages.get("settings/audit/").content.decode()
    assert f'<span title="{member.user.email}">Ada Park</span>' in page
