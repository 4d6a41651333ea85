import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=64, unique=True)),
                ("name", models.CharField(max_length=128)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("is_demo", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "ordering": ["slug"],
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                ("email", models.EmailField(max_length=254, unique=True)),
                ("is_active", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("single_keys", models.BooleanField(db_default=True, default=True)),
            ],
            options={
                "ordering": ["email"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("email", django.db.models.functions.text.Lower("email"))
                        ),
                        name="an_email_is_kept_in_lower_case",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                ("at", models.DateTimeField()),
                ("actor", models.CharField(max_length=320)),
                ("action", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=512)),
                ("details", models.JSONField(default=dict)),
                ("previous_hash", models.CharField(max_length=64)),
                ("hash", models.CharField(max_length=64)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_entries",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "number"), name="one_audit_entry_per_project_and_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Bundle",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=128)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bundles",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="one_bundle_per_project_and_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Check",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=128)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="one_check_per_project_and_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CheckBindings",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=0)),
                ("lines", models.JSONField(default=list)),
                ("changed_by", models.CharField(blank=True, max_length=254)),
                ("changed_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="check_bindings",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["project"],
            },
        ),
        migrations.CreateModel(
            name="Environment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        max_length=128,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\\Z"
                            )
                        ],
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="environments",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "name"), name="one_environment_per_project_and_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=400)),
                ("environment", models.CharField(blank=True, max_length=128)),
                ("agent", models.CharField(blank=True, db_default="", default="", max_length=400)),
                ("why", models.TextField()),
                ("link", models.CharField(blank=True, max_length=2000)),
                ("since", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("lasts", models.BooleanField(default=False)),
                ("dismissed_by", models.CharField(blank=True, max_length=320)),
                ("dismissed_at", models.DateTimeField(null=True)),
                ("resolved_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-since", "-id"],
                "indexes": [models.Index(fields=["project", "-since"], name="finding_by_time")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("resolved_at", None)),
                        fields=("project", "kind", "subject"),
                        name="one_open_finding_per_kind_and_subject",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("dismissed_at", None), ("dismissed_by", "")),
                            models.Q(
                                models.Q(("dismissed_by", ""), _negated=True),
                                ("dismissed_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_finding_was_dismissed_by_somebody_or_not_at_all",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer"),
                            ("operator", "operator"),
                            ("editor", "editor"),
                            ("admin", "admin"),
                        ],
                        max_length=16,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer"),
                            ("operator", "operator"),
                            ("editor", "editor"),
                            ("admin", "admin"),
                        ],
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["user__email"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "user"), name="one_membership_per_project_and_user"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_key", models.CharField(max_length=64)),
                ("sealed", models.BinaryField()),
                ("author", models.CharField(max_length=320)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("retired_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="signing_keys",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("retired_at", None)),
                        fields=("project",),
                        name="one_signing_key_in_use_per_project",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=128)),
                ("hint", models.CharField(max_length=160)),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("scopes", models.JSONField()),
                ("agent", models.CharField(blank=True, max_length=128)),
                ("assigned_only", models.BooleanField(default=False)),
                (
                    "dialect",
                    models.CharField(
                        blank=True, choices=[("old", "old"), ("new", "new")], max_length=3
                    ),
                ),
                ("created_by", models.CharField(max_length=254)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "maker",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="keys_made",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="keys",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="keys",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64, unique=True)),
                ("agent_id", models.CharField(max_length=128)),
                ("session_id", models.TextField(blank=True)),
                ("tool_name", models.TextField()),
                ("arguments", models.TextField()),
                ("shown", models.JSONField()),
                ("argument_count", models.PositiveIntegerField()),
                ("message", models.TextField(blank=True)),
                ("digest", models.BinaryField(max_length=32)),
                ("timeout_s", models.PositiveIntegerField()),
                (
                    "on_timeout",
                    models.CharField(
                        choices=[("block", "block"), ("allow", "allow")], max_length=5
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("approved", "approved"),
                            ("denied", "denied"),
                            ("timeout", "timeout"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("decided_by", models.CharField(blank=True, max_length=320)),
                ("reason", models.CharField(blank=True, max_length=2000)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="approvals",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="approvals",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["project", "ends_at", "id"], name="approval_by_end"),
                    models.Index(fields=["project", "-id"], name="approval_by_age"),
                    models.Index(
                        fields=["environment", "agent_id", "created_at"], name="approval_by_agent"
                    ),
                    models.Index(
                        condition=models.Q(("status", "pending")),
                        fields=["ends_at"],
                        name="approval_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("status", "pending")),
                        fields=["environment", "digest"],
                        name="approval_sent_again",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("status__in", ["approved", "denied"]),
                                models.Q(("decided_by", ""), _negated=True),
                            ),
                            models.Q(
                                models.Q(("status__in", ["approved", "denied"]), _negated=True),
                                ("decided_by", ""),
                            ),
                            _connector="OR",
                        ),
                        name="an_approval_was_decided_by_somebody_or_by_nobody",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("agent", models.CharField(max_length=128)),
                ("tags", models.JSONField()),
                ("tags_digest", models.CharField(max_length=64)),
                ("priority", models.IntegerField(default=0)),
                ("author", models.CharField(max_length=320)),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="governance.bundle",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("environment", "agent", "tags_digest"),
                        name="one_assignment_per_environment_agent_and_tags",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BundleVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("document", models.BinaryField()),
                ("revision_hash", models.CharField(db_index=True, max_length=64)),
                (
                    "dialect",
                    models.CharField(choices=[("old", "old"), ("new", "new")], max_length=3),
                ),
                ("session_rules", models.JSONField()),
                ("author", models.CharField(max_length=254)),
                ("message", models.CharField(blank=True, max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="governance.bundle",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("bundle", "number"), name="one_version_per_bundle_and_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Case",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=128)),
                ("position", models.PositiveIntegerField()),
                ("calls", models.TextField()),
                (
                    "action",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("allow", "allow"),
                            ("warn", "warn"),
                            ("ask", "ask"),
                            ("redact", "redact"),
                            ("block", "block"),
                        ],
                        max_length=6,
                    ),
                ),
                ("stopped_at", models.PositiveIntegerField(null=True)),
                ("rule", models.CharField(blank=True, max_length=128)),
                ("author", models.CharField(max_length=320)),
                ("changed_at", models.DateTimeField()),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cases",
                        to="governance.bundle",
                    ),
                ),
            ],
            options={
                "ordering": ["position", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("bundle", "name"), name="one_case_per_bundle_and_name"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("action", ""), ("stopped_at", None), _connector="OR"),
                        name="only_a_session_is_stopped_at_a_call",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CheckDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("base", models.PositiveIntegerField(default=0)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("kept_at", models.DateTimeField()),
                ("newer", models.JSONField(db_default=[], default=list)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "success_check",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="governance.check",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-kept_at", "-id"],
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        fields=("person", "success_check"), name="one_draft_per_person_and_check"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CheckVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("document", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                ("packed", models.BinaryField()),
                ("description", models.CharField(blank=True, max_length=2000)),
                ("rules", models.PositiveIntegerField()),
                ("included", models.JSONField(default=list)),
                ("author", models.CharField(max_length=254)),
                ("message", models.CharField(blank=True, max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "success_check",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="governance.check",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("success_check", "number"), name="one_version_per_check_and_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("base", models.PositiveIntegerField(default=0)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("kept_at", models.DateTimeField()),
                (
                    "bundle",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="governance.bundle",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-kept_at", "-id"],
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        fields=("person", "bundle"), name="one_draft_per_person_and_bundle"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Requirements",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("second_person", models.BooleanField(default=False)),
                ("max_newly_denied", models.PositiveIntegerField(null=True)),
                (
                    "environment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requirements",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["environment"],
            },
        ),
        migrations.CreateModel(
            name="Signature",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision_hash", models.CharField(max_length=64)),
                ("value", models.BinaryField(max_length=64)),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="signatures",
                        to="governance.signingkey",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("key", "revision_hash"), name="one_signature_per_key_and_bytes"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Stop",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("agent", models.CharField(blank=True, max_length=128)),
                ("author", models.CharField(max_length=320)),
                ("created_at", models.DateTimeField()),
                ("lifted_by", models.CharField(blank=True, max_length=320)),
                ("lifted_at", models.DateTimeField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stops",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)),
                        fields=("environment", "agent"),
                        name="one_stop_at_a_time_per_environment_and_agent",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AnnouncedAssignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("agent", models.CharField(max_length=128)),
                ("bundle_name", models.CharField(max_length=128)),
                ("at", models.DateTimeField()),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["agent"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "agent", "bundle_name"),
                        name="an_assignment_is_announced_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ran_at", models.DateTimeField()),
                ("cases", models.PositiveIntegerField()),
                ("failing", models.PositiveIntegerField()),
                ("results", models.TextField()),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="case_run",
                        to="governance.bundleversion",
                    ),
                ),
            ],
            options={
                "ordering": ["-ran_at"],
            },
        ),
        migrations.CreateModel(
            name="Deployment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("author", models.CharField(max_length=254)),
                (
                    "approved_by",
                    models.CharField(blank=True, db_default="", default="", max_length=320),
                ),
                (
                    "override",
                    models.CharField(blank=True, db_default="", default="", max_length=2000),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deployments",
                        to="governance.bundleversion",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deployments",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Fetches",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("agent", models.CharField(max_length=128)),
                ("third_last_at", models.DateTimeField(null=True)),
                ("second_last_at", models.DateTimeField(null=True)),
                ("last_at", models.DateTimeField(db_index=True)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.apikey",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "agent"),
                        name="fetches_of_an_agent_once_per_environment",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Rendering",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "dialect",
                    models.CharField(choices=[("old", "old"), ("new", "new")], max_length=3),
                ),
                ("document", models.BinaryField()),
                ("revision_hash", models.CharField(db_index=True, max_length=64)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="renderings",
                        to="governance.bundleversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version", "dialect"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("version", "dialect"), name="one_rendering_per_version_and_dialect"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DeploymentRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision_hash", models.CharField(max_length=64)),
                ("author", models.CharField(max_length=320)),
                ("message", models.CharField(blank=True, max_length=2000)),
                ("override", models.CharField(blank=True, max_length=2000)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("approved", "approved"),
                            ("refused", "refused"),
                            ("withdrawn", "withdrawn"),
                            ("void", "void"),
                            ("expired", "expired"),
                        ],
                        default="pending",
                        max_length=9,
                    ),
                ),
                ("decided_by", models.CharField(blank=True, max_length=320)),
                ("ended_at", models.DateTimeField(null=True)),
                ("reason", models.CharField(blank=True, max_length=2000)),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requests",
                        to="governance.bundle",
                    ),
                ),
                (
                    "deployment",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="request",
                        to="governance.deployment",
                    ),
                ),
                (
                    "requester",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="requests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requests",
                        to="governance.bundleversion",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requests",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "pending")),
                        fields=["expires_at"],
                        name="request_waiting",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status", "pending")),
                        fields=("bundle", "environment"),
                        name="one_request_waits_per_bundle_and_environment",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("status__in", ["approved", "refused"]),
                                models.Q(("decided_by", ""), _negated=True),
                            ),
                            models.Q(
                                models.Q(("status__in", ["approved", "refused"]), _negated=True),
                                ("decided_by", ""),
                            ),
                            _connector="OR",
                        ),
                        name="a_request_was_decided_by_somebody_or_by_nobody",
                    ),
                ],
            },
        ),
    ]
