"""Component gallery: every page component in all its states and in both themes. Only available on
development servers."""
