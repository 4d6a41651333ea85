"""The person behind a key and behind a request for a deployment, where texts named them."""

import re
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

BY_A_KEY = re.compile(r"\Akey:(\d+) ")


def name_people(apps: Any, schema_editor: Any) -> None:
    users = dict(apps.get_model("governance", "User").objects.values_list("email", "pk"))
    makers = _makers(apps, users)
    key_model = apps.get_model("governance", "ApiKey")
    for key_id, user_id in makers.items():
        key_model.objects.filter(pk=key_id).update(maker=user_id)
    for request in apps.get_model("governance", "DeploymentRequest").objects.iterator():
        request.requester_id = _person(request.author, users, makers)
        request.save(update_fields=["requester"])


def _makers(apps: Any, users: dict[str, int]) -> dict[int, int]:
    """By key: keys are read in the order they were made, so a key's maker is known before it."""
    entries = apps.get_model("governance", "AuditEntry").objects.filter(action="key made")
    made_by = {
        (project, subject): actor
        for project, subject, actor in entries.order_by("-number").values_list(
            "project", "subject", "actor"
        )
    }
    makers: dict[int, int] = {}
    for key in apps.get_model("governance", "ApiKey").objects.order_by("id").iterator():
        text = made_by.get((key.project_id, f"{key.name} ({key.hint})"[:512]), "")
        user_id = _person(text, users, makers) or users.get(key.created_by)
        if user_id is not None:
            makers[key.pk] = user_id
    return makers


def _person(actor: str, users: dict[str, int], makers: dict[int, int]) -> int | None:
    """Of an actor as the audit log writes it: `person:<e-mail>`, `key:<id> <name>`, `console`."""
    by_a_key = BY_A_KEY.match(actor)
    if by_a_key:
        return makers.get(int(by_a_key[1]))
    return users.get(actor.removeprefix("person:"))


class Migration(migrations.Migration):
    dependencies = [("governance", "0014_newer_included_of_drafts")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="maker",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="keys_made",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="deploymentrequest",
            name="requester",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="requests",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(name_people, migrations.RunPython.noop),
        migrations.RemoveField(model_name="deploymentrequest", name="behind"),
    ]
