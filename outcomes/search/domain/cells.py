"""Table cells of search hits: values of a call with the matches marked and never cut off."""

import json
from collections.abc import Sequence
from typing import Final

from outcomes.search.domain.content import Content, Leaf, fits_leaf, written
from outcomes.search.domain.language import ANYTHING, NUMERIC, Op, Query, Term
from outcomes.search.domain.words import Marked, marked, words

LONGEST_VALUE: Final = 60  # characters
LONGEST_TEXT: Final = 90
LINE: Final = 48  # characters of a cell before it wraps
MOST_MATCHING: Final = 4
MOST_LEAVES: Final = 12


def arguments_cell(content: Content, query: Query) -> Marked:
    return _leaves_cell(content.arguments, _terms(query, "args"))


def output_cell(content: Content, query: Query) -> Marked:
    """Result of the call in a cell: its output, error, reason or summary."""
    terms = _terms(query, "output")
    text = content.error or content.reason or content.summary
    cell: Marked = ()
    if text:
        phrases = _phrases([*terms, *query.of("error"), *query.of("reason")])
        cell = marked(text, phrases, LONGEST_TEXT)
    if content.output:
        errors = [_in_errors(term) for term in query.of("error") if not term.negated]
        cell += _leaves_cell(content.output, [*terms, *errors])
    return cell


def matching_part(content: Content, query: Query) -> tuple[str, str, str]:
    """First match of a call in one line: text before it, the match, text after it."""
    cells = (output_cell(content, query), arguments_cell(content, query))
    cell = next((each for each in cells if any(is_match for _, is_match in each)), cells[1])
    place = next((at for at, (_, is_match) in enumerate(cell) if is_match), len(cell))
    texts = [text for text, _ in cell]
    return "".join(texts[:place]), "".join(texts[place : place + 1]), "".join(texts[place + 1 :])


def name_cell(name: str, query: Query, field: str) -> Marked:
    """A name, marked if it matches."""
    if not name:
        return ()
    terms = [term for term in query.of(field) if not term.negated]
    if any(term.op is Op.IS for term in terms):
        return ((name, True),)
    parts = [term.value for term in (*terms, *_plain(query))]
    return _with_part(name, parts)


def id_cells(content: Content, query: Query) -> list[tuple[str, Marked]]:
    """Ids that no column shows, if they contain a search word."""
    ids = (("call", content.call_id), ("session", content.session))
    parts = [term.value for term in _plain(query)]
    cells = [(words_, _with_part(value, parts)) for words_, value in ids]
    return [(words_, cell) for words_, cell in cells if any(is_marked for _, is_marked in cell)]


def _terms(query: Query, field: str) -> list[Term]:
    return [*_plain(query), *(term for term in query.of(field) if not term.negated)]


def _plain(query: Query) -> list[Term]:
    return [term for term in query.of("") if not term.negated]


def _in_errors(term: Term) -> Term:
    return Term("output", "", Op.CONTAINS, term.value, term.negated, term.source)


def _phrases(terms: Sequence[Term]) -> list[str]:
    return [term.value for term in terms if not term.negated and words(term.value)]


def _leaves_cell(leaves: Sequence[Leaf], terms: Sequence[Term]) -> Marked:
    """Matching leaves, then as many others as fit on the line."""
    matching = [number for number, leaf in enumerate(leaves) if _marks(leaf, terms)]
    shown = matching[:MOST_MATCHING] or list(range(min(len(leaves), MOST_LEAVES)))
    length = sum(len(_leaf_text(leaves[number])) for number in shown)
    for number, leaf in enumerate(leaves[:MOST_LEAVES]):
        text = _leaf_text(leaf)
        if number not in shown and length + len(text) <= LINE:
            length += len(text)
            shown.append(number)
    parts: list[tuple[str, bool]] = []
    for number in sorted(shown):
        parts += [(", ", False), *_leaf_cell(leaves[number], terms)]
    more = (("…", False),) if len(shown) < len(leaves) else ()
    return (*parts[1:], *more)


def _leaf_text(leaf: Leaf) -> str:
    path, value = leaf
    return f"{path}: {written(value)}" if path else written(value)


def _marks(leaf: Leaf, terms: Sequence[Term]) -> list[Term]:
    return [term for term in terms if _fits(term, leaf)]


def _fits(term: Term, leaf: Leaf) -> bool:
    if term.field:
        return fits_leaf(term, leaf)
    return fits_leaf(Term("output", "", Op.CONTAINS, term.value, negated=False, source=""), leaf)


def _leaf_cell(leaf: Leaf, terms: Sequence[Term]) -> Marked:
    path, value = leaf
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else written(value)
    before = ((f"{path}: ", False),) if path else ()
    those = _marks(leaf, terms)
    if any(_is_of_value(term) for term in those):
        return (*before, (text[:LONGEST_VALUE], True))
    return before + marked(text, _phrases(those), LONGEST_VALUE)


def _is_of_value(term: Term) -> bool:
    return bool(term.path) and (term.op in NUMERIC or term.op is Op.IS or term.value == ANYTHING)


def _with_part(text: str, parts: Sequence[str]) -> Marked:
    folded = text.casefold()
    for part in parts:
        at = folded.find(part.casefold())
        if at >= 0 and len(folded) == len(text):
            end = at + len(part)
            pieces = ((text[:at], False), (text[at:end], True), (text[end:], False))
            return tuple(piece for piece in pieces if piece[0])
    return ((text, False),)
