"""Getting somewhere by a word or by keys: the search, the palette over every page, the keys."""
