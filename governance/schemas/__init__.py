"""The shapes that come in and go out over HTTP, split by noun."""
