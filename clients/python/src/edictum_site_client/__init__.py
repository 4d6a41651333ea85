"""Reports the outcome of each tool call to an Edictum Site console, with and without edictum."""

from edictum_site_client.checks import SuccessCheck, default_check
from edictum_site_client.console import Console, GuardOptions
from edictum_site_client.masking import Masking
from edictum_site_client.named_checks import CheckUnavailable, NamedCheck
from edictum_site_client.recording import Call
from edictum_site_client.sending import Delivery
from edictum_site_client.site.matcher import Explanation

__all__ = [
    "Call",
    "CheckUnavailable",
    "Console",
    "Delivery",
    "Explanation",
    "GuardOptions",
    "Masking",
    "NamedCheck",
    "SuccessCheck",
    "default_check",
]
