"""State shared by all hosts of the installation: the migrated schema, its processes and leases."""

from django.db import models


class SchemaState(models.Model):
    """One row: the schema generation, and the oldest generation whose code works with it."""

    generation = models.PositiveIntegerField()
    oldest = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"generation {self.generation}"


class Host(models.Model):
    """One process on a host, with the shared parts that it sees, as last reported."""

    class Process(models.TextChoices):
        WEB = "web"
        WORKER = "worker"  # settling
        JOBS = "jobs"
        SCHEDULER = "scheduler"

    key = models.CharField(max_length=64, unique=True)  # of host, data folder and process
    name = models.CharField(max_length=200)
    process = models.CharField(max_length=9, choices=Process)
    queues = models.CharField(max_length=100, blank=True)
    release = models.CharField(max_length=40)
    generation = models.PositiveIntegerField()  # schema generation that its code knows
    artifacts = models.CharField(max_length=64, blank=True)
    secret = models.CharField(max_length=64)
    broker = models.CharField(max_length=64, blank=True)
    started_at = models.DateTimeField()
    heard_at = models.DateTimeField()  # database time
    clock_offset = models.FloatField(default=0.0)  # seconds that its clock is ahead of the database

    def __str__(self) -> str:
        return f"{self.process} on {self.name}"


class Lease(models.Model):
    """Exclusive right of one process across all hosts, until it expires by the database clock."""

    name = models.CharField(max_length=40, unique=True)
    holder = models.CharField(max_length=200)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name}, held by {self.holder}"
