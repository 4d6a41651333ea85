"""What is known of an artifact; its bytes lie in the artifact store under the same SHA-256."""

from django.db import models


class Artifact(models.Model):
    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    media_type = models.CharField(max_length=128)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "sha256"], name="one_artifact_per_content")
        ]

    def __str__(self) -> str:
        return self.sha256
