"""A chart parsed into its elements by a strict parser that accepts only well-formed markup."""

from dataclasses import dataclass, field
from xml.parsers import expat

from hypothesis import settings

# Drawing may be slow on a busy machine.
moderately = settings(max_examples=50, deadline=None)
rarely = settings(max_examples=12, deadline=None)


@dataclass
class Element:
    name: str
    attributes: dict[str, str]
    words: str = ""

    @property
    def style(self) -> str:
        return self.attributes.get("class", "")

    def number(self, attribute: str) -> float:
        return float(self.attributes[attribute].removesuffix("%"))


@dataclass
class Drawn:
    elements: list[Element] = field(default_factory=list)

    def all(self, name: str, style: str = "") -> list[Element]:
        return [
            each
            for each in self.elements
            if each.name == name and (not style or style in each.style.split())
        ]

    def rows(self) -> list[list[str]]:
        """Cells of the table body, row by row."""
        rows: list[list[str]] = []
        for each in self.elements:
            if each.name == "tr":
                rows.append([])
            elif each.name == "td" or (each.name == "th" and each.attributes["scope"] == "row"):
                rows[-1].append(each.words)
        return [row for row in rows if row]


def drawn(text: str) -> Drawn:
    drawing = Drawn()
    opened: list[Element] = []

    def begin(name: str, attributes: dict[str, str]) -> None:
        opened.append(Element(name, attributes))
        drawing.elements.append(opened[-1])

    def say(words: str) -> None:
        for element in opened:
            element.words += words

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda name: opened.pop()
    parser.CharacterDataHandler = say
    last = True
    parser.Parse(text, last)
    return drawing
