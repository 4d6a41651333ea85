"""Single sign-on with a company's identity provider: verified email only, roles by group."""

from datetime import timedelta
from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.openid_connect import views
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from governance.models import User
from governance.people.auth.second_factor import PROVED
from governance.people.commands.groups import follow_groups
from governance.people.commands.sign_ins import record_in_projects
from governance.people.providers import IdentityProvider, provider_required
from governance.people.queries.people import has_open_invitation, user_with

OWN_SITE = {"same-origin", "none"}
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, AssertionError)


@require_safe
@never_cache
def sign_in_with(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    """Redirect to the provider. Only requests from this site may start it, as another site could
    otherwise sign the browser in without the user's consent."""
    if request.headers.get("Sec-Fetch-Site", "none") not in OWN_SITE:
        return redirect("account_login")
    provider = _provider(provider_id)
    try:
        there = get_adapter().get_provider(request, provider.id)
        answer: HttpResponseBase = there.redirect(
            request, process=AuthProcess.LOGIN, next_url=get_next_redirect_url(request)
        )
    except (RequestException, *MALFORMED):
        return _refused(request, f"{provider.name} does not answer. Try again later.", status=502)
    return answer


@require_safe
@never_cache
def came_back(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    provider = _provider(provider_id)
    try:
        answer: HttpResponseBase = views.callback(request, provider_id)
    except SocialApp.DoesNotExist as error:
        raise Http404 from error
    except MALFORMED:
        return _refused(request, f"{provider.name} answered with something else than a sign-in.")
    return answer


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Find or link the account, or refuse. Unverified email addresses are never trusted."""
        provider = _provider(sociallogin.account.provider)
        claims = _claims(request, provider, sociallogin.account.extra_data)
        if sociallogin.state.get("process") != AuthProcess.LOGIN:
            raise _refusal(request, "Accounts are linked by signing in.")
        if not sociallogin.is_existing:
            _link(request, provider, sociallogin, _verified_email(request, provider, claims))
        roles = provider.roles(_groups(request, provider, claims))
        if sociallogin.is_existing:
            follow_groups(sociallogin.user, roles, provider=provider.name)
        elif not any(roles.values()) and not has_open_invitation(sociallogin.user.email):
            raise _refusal(request, "You have no access yet. Ask an admin for an invite.")

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return True  # decided in pre_social_login

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        provider = _provider(sociallogin.account.provider)
        claims = _claims(request, provider, sociallogin.account.extra_data)
        user: User = sociallogin.user
        user.name = " ".join(str(claims.get("name") or "").split())[:128]
        user.set_unusable_password()
        user.save()
        sociallogin.account.user = user
        sociallogin.account.save()
        roles = provider.roles(_groups(request, provider, claims))
        follow_groups(user, roles, provider=provider.name)
        return user


def after_sign_in(request: HttpRequest, sociallogin: Any) -> None:
    """Limit the session's lifetime, so that the provider decides again when it ends."""
    provider = _provider(sociallogin.account.provider)
    # An absolute time: a number of seconds would restart with each request.
    request.session.set_expiry(timezone.now() + timedelta(hours=provider.hours))
    methods = _claims(request, provider, sociallogin.account.extra_data).get("amr")
    proved = provider.proves_second_factor and isinstance(methods, list) and "mfa" in methods
    request.session[PROVED] = proved


def _link(request: HttpRequest, provider: IdentityProvider, sociallogin: Any, email: str) -> None:
    user = user_with(email)
    if user is None:
        sociallogin.user = User(email=email)
        return
    if SocialAccount.objects.filter(user=user, provider=provider.id).exists():
        # An email address reassigned to another person must not open the first person's account.
        raise _refusal(
            request,
            f"{email} is linked to another person of {provider.name}. Ask an admin to delete that"
            " account.",
        )
    if provider_required(settings.OIDC, email):
        user.set_unusable_password()
    sociallogin.connect(request, user)
    record_in_projects(user, "identity linked", details={"provider": provider.name})


def _verified_email(request: HttpRequest, provider: IdentityProvider, claims: Any) -> str:
    email = str(claims.get("email") or "").strip().lower()
    if not email or claims.get("email_verified") is not True:
        raise _refusal(request, f"{provider.name} has not verified your email address.")
    required = provider_required(settings.OIDC, email)
    if required is not None and required.id != provider.id:
        raise _refusal(request, f"Sign in with {required.name}.")
    return email


def _claims(request: HttpRequest, provider: IdentityProvider, data: Any) -> dict[str, Any]:
    """Claims of the ID token and of the user info, which must be about the same person."""
    token, info = data.get("id_token") or {}, data.get("userinfo") or {}
    if not token or (info and info.get("sub") != token.get("sub")):
        raise _refusal(request, f"{provider.name} answered for two different people.")
    return {**info, **token}


def _groups(request: HttpRequest, provider: IdentityProvider, claims: Any) -> list[str]:
    groups = claims.get(provider.groups_claim)
    if provider.groups and not isinstance(groups, list):
        # Without the claim, memberships would be removed, or kept after leaving a group.
        claim = provider.groups_claim
        raise _refusal(request, f"{provider.name} sent no claim `{claim}`, which your roles need.")
    return [str(each) for each in groups] if isinstance(groups, list) else []


def _provider(id_: str) -> IdentityProvider:
    provider: IdentityProvider | None = settings.OIDC.get(id_)
    if provider is None:
        raise Http404
    return provider


def _refusal(request: HttpRequest, why: str) -> ImmediateHttpResponse:
    return ImmediateHttpResponse(_refused(request, why))


def _refused(request: HttpRequest, why: str, *, status: int = 403) -> HttpResponse:
    context = {"page_title": "Not signed in", "why": why}
    return render(request, "socialaccount/refused.html", context, status=status)
