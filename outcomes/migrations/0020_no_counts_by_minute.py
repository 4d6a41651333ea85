"""What read the counts by minute of each tool and agent reads the rollups."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("outcomes", "0019_beginnings_of_session_ids"),
    ]

    operations = [
        migrations.DeleteModel(name="AgentMinute"),
        migrations.DeleteModel(name="ToolMinute"),
    ]
