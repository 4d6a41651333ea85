"""Frame of every page: navigation, scope bar, and JSON as a tree."""
