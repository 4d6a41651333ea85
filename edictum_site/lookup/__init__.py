"""Search and keyboard navigation: the search page, the command palette, and shortcuts."""
