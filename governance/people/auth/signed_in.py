"""Signed-in user, read together with the memberships that every page needs."""

from allauth.account.auth_backends import AuthenticationBackend

from governance.models import User
from governance.people.queries.people import user_with_memberships


class SignedIn(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """Loads the user of a browser session; allauth handles the sign-in."""

    def get_user(self, user_id: int) -> User | None:
        user = user_with_memberships(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None
