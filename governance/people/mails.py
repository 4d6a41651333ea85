"""Mails to people. Who cannot be reached by mail gets the link from an admin."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

from governance.models import Invitation

logger = logging.getLogger(__name__)


def send_invitation(invitation: Invitation, link: str) -> bool:
    """Whether the mail server took the mail."""
    if not settings.SENDS_MAIL:
        return False
    context = {"invitation": invitation, "link": link}
    text = render_to_string("people/invitation_mail.txt", context)
    subject = f"Invitation to {invitation.project.name}"
    try:
        send_mail(subject, text, None, [invitation.email])
    except (OSError, SMTPException):
        logger.exception("Could not send an invitation")
        return False
    return True
