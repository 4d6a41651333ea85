"""MCP server at `/mcp`: assistants read the console, save drafts, and request deployments."""
