"""The page of components: every part that pages are made of, in all its states and both themes.
Only a development server has it."""
