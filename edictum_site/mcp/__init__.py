"""MCP server at `/mcp`: an assistant reads the console, drafts, and requests deployments."""
