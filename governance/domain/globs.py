"""Globs know `*` and `?` and mind case, and nothing else is special in them."""


def glob_matches(pattern: str, text: str) -> bool:
    head, star, tail = pattern.partition("*")
    if "?" in pattern or "*" in tail:
        return _matches_slowly(pattern, text)
    # What people write nearly always, and what is asked of whole fleets.
    if not star:
        return text == pattern
    fits = text.startswith(head) and text.endswith(tail)
    return fits and len(text) >= len(head) + len(tail)


def _matches_slowly(pattern: str, text: str) -> bool:
    # Two pointers with one step back to the latest star: at most the product of both lengths,
    # where a regular expression of many stars would try every way to share the text.
    place = at = 0
    star = resume = -1
    while at < len(text):
        # The star is asked first: a text that holds one would else take it for itself.
        if place < len(pattern) and pattern[place] == "*":
            star, resume = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", text[at]):
            place += 1
            at += 1
        elif star >= 0:
            resume += 1
            place, at = star + 1, resume
        else:
            return False
    return all(character == "*" for character in pattern[place:])
