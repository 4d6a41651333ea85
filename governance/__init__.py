"""What ought to happen: people, projects, keys and contracts."""
