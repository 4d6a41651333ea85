"""Rows at which those who would write the same thing wait for each other."""

from governance.models import Bundle


def held(bundle: Bundle) -> Bundle:
    """Its row is the queue of those who deploy it, or write its tests: the later one finds what the
    earlier one has made live, or named."""
    rows = Bundle.objects.select_related("project").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=bundle.pk)
