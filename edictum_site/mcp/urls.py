"""URL of the MCP server."""

from django.urls import path

from edictum_site.mcp.views import mcp

urlpatterns = [path("mcp", mcp, name="mcp")]
