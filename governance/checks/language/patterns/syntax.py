"""Parses regular expressions in RE2's syntax, without Unicode classes and inline flags."""

import re

from governance.checks.language.patterns.brackets import bracketed, short
from governance.checks.language.patterns.characters import ANY_BUT_NEWLINE, all_but, both_cases
from governance.checks.language.patterns.escapes import escaped
from governance.checks.language.patterns.nodes import (
    EMPTY,
    Assertion,
    Character,
    Choice,
    Edge,
    Node,
    PatternRefused,
    Reason,
    Repetition,
    Sequence,
)

DEEPEST = 100  # nested parentheses
MOST_OFTEN = 1000
# Like RE2, read braces that aren't a repetition as literals, such as `{,3}` and `{01}`.
_BRACES = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_TIMES = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_GROUP = re.compile(r"\(\?P?<([^>]*)>")
_ASSERTIONS = {
    "A": Edge.TEXT_BEGINS,
    "z": Edge.TEXT_ENDS,
    "b": Edge.WORD,
    "B": Edge.NO_WORD,
}


def read(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Node:
    return _Reader(pattern, ignore_case=ignore_case, multiline=multiline).pattern_node()


class _Reader:
    def __init__(self, pattern: str, *, ignore_case: bool, multiline: bool) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.ignore_case = ignore_case
        self.anchors = {
            "^": Edge.LINE_BEGINS if multiline else Edge.TEXT_BEGINS,
            "$": Edge.LINE_ENDS if multiline else Edge.TEXT_ENDS,
        }

    def pattern_node(self) -> Node:
        node = self.choice()
        if self.at < len(self.pattern):
            raise PatternRefused("A ) has no opening (.", self.at)
        return node

    def choice(self) -> Node:
        parts = [self.sequence()]
        while self.next_is("|"):
            self.at += 1
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.pattern) and not self.next_is("|", ")"):
            begin = self.at
            if self.repetition() is not None:
                raise PatternRefused("There is nothing before this to repeat.", begin)
            if self.next_is("\\Q"):
                parts += self.quoted()
            else:
                parts.append(self.one())
            if parts:
                parts[-1] = self.repeated(parts[-1])
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def next_is(self, *texts: str) -> bool:
        return self.pattern.startswith(texts, self.at)

    def repetition(self) -> tuple[int, int | None, bool, int] | None:
        """Bounds of the repetition here, whether in braces, and the index after it, or None."""
        sign = self.pattern[self.at : self.at + 1]
        if sign in _TIMES:
            return *_TIMES[sign], False, self.at + 1
        if sign != "{" or not (braces := _BRACES.match(self.pattern, self.at)):
            return None
        low, more, high = braces.groups()
        if max(len(low), len(high or "")) > len(str(MOST_OFTEN)):
            raise self.too_often()
        most = int(low) if more is None else int(high) if high else None
        return int(low), most, True, braces.end()

    def repeated(self, node: Node) -> Node:
        if (repetition := self.repetition()) is None:
            return node
        low, high, counted, behind = repetition
        if high is not None and high < low:
            raise PatternRefused("A repetition counts up, such as {2,5}.", self.at)
        repeated = Repetition(node, low, high, counted)
        if max(low, high or 0, repeated.times if counted else 0) > MOST_OFTEN:
            raise self.too_often()
        # A lazy quantifier only matters for captures.
        self.at = behind + self.pattern.startswith("?", behind)
        if self.repetition() is not None:
            raise PatternRefused("Nested repetition. Put the inner one in (?:…).", self.at)
        return repeated

    def too_often(self) -> PatternRefused:
        return PatternRefused(
            "Repetitions count to at most 1,000, nested ones multiplied.", self.at
        )

    def one(self) -> Node:
        sign = self.pattern[self.at]
        match sign:
            case "(":
                return self.group()
            case "[":
                ranges, self.at = bracketed(self.pattern, self.at, ignore_case=self.ignore_case)
                return Character(ranges)
            case "^" | "$":
                self.at += 1
                return Assertion(self.anchors[sign])
            case ".":
                self.at += 1
                return Character(ANY_BUT_NEWLINE)
            case "\\":
                return self.backslash()
            case _:
                self.at += 1
                return self.literal(ord(sign))

    def backslash(self) -> Node:
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in _ASSERTIONS:
            self.at += 2
            return Assertion(_ASSERTIONS[letter])
        if named := short(self.pattern, self.at):
            ranges, inverted, self.at = named
            return Character(all_but(ranges) if inverted else ranges)
        code, self.at = escaped(self.pattern, self.at)
        return self.literal(code)

    def literal(self, code: int) -> Node:
        ranges = ((code, code),)
        return Character(both_cases(ranges) if self.ignore_case else ranges)

    def quoted(self) -> list[Node]:
        begin = self.at + 2
        end = self.pattern.find("\\E", begin)
        text = self.pattern[begin:] if end < 0 else self.pattern[begin:end]
        self.at = len(self.pattern) if end < 0 else end + 2
        return [self.literal(ord(sign)) for sign in text]

    def group(self) -> Node:
        begin = self.at
        self.at = self.behind_the_opening()
        self.depth += 1
        if self.depth > DEEPEST:
            raise PatternRefused(
                f"More than {DEEPEST} nested parentheses.",
                begin,
                reason=Reason.TOO_DEEP,
            )
        node = self.choice()
        if not self.next_is(")"):
            raise PatternRefused("A ( is not closed by a ).", begin)
        self.at += 1
        self.depth -= 1
        return EMPTY if node == EMPTY else node

    def behind_the_opening(self) -> int:
        if not self.next_is("(?"):
            return self.at + 1
        if self.next_is("(?:"):
            return self.at + 3
        if self.next_is("(?=", "(?!", "(?<=", "(?<!"):
            raise PatternRefused(
                "A pattern cannot look ahead or behind: that takes more than linear time.", self.at
            )
        if self.next_is("(?P<", "(?<"):
            return self.behind_the_name()
        flag = self.pattern[self.at + 2 : self.at + 3]
        if flag and flag in "imsU-":
            raise PatternRefused(
                "Flags inside a pattern are not supported. Write ignore_case or multiline next to"
                " the operator.",
                self.at,
                reason=Reason.FLAGS,
            )
        raise PatternRefused("After (? comes : or a name as in (?P<name>…).", self.at)

    def behind_the_name(self) -> int:
        named = _GROUP.match(self.pattern, self.at)
        if not named or not named[1]:
            raise PatternRefused("A group's name is written (?P<name>…).", self.at)
        if not re.fullmatch(r"[A-Za-z0-9_]+", named[1]):
            raise PatternRefused(
                "A group's name is made of A to Z, digits and _.",
                self.at,
                reason=Reason.GROUP_NAME,
            )
        return named.end()
