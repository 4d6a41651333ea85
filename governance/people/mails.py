"""Mails to people. If mail can't be sent, an admin shares the link."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

from governance.models import Invitation

logger = logging.getLogger(__name__)


def send_invitation(invitation: Invitation, link: str) -> bool:
    """Mail an invitation. Returns whether the mail server accepted it."""
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
