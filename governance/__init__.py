"""Policy for tool calls: people, projects, keys and contracts."""
