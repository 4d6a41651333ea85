// The operators of texts: true, false, or undecided where the rest of a text was not read.

import type { Automaton, Matches, Test } from "./call.ts";
import { ITEM, Prefix, TEXT, UnknownFormat } from "./call.ts";
import { beginning, folded, points, pointsOf } from "./values.ts";

const NARROW = 255; // classes of a pattern that is quick in Python, too
const NEAR = 0x20000; // and the first character beyond those that it tells apart
const SLOW = 8; // times the work of others
const FIND = 8; // code points that a search passes for the work of one, fewer for longer words

function ofText(test: Matches): Test {
  return (seen, call) => {
    if (seen instanceof Prefix) return test(seen.text, false, call);
    if (typeof seen !== "string") return false;
    return test(seen, seen.length <= TEXT || pointsOf(seen, call) <= TEXT, call);
  };
}

export function matchingAny(places: number[], patterns: Matches[]): Test {
  const chosen = places.map((place) => known(patterns[place]));
  return ofText((text, allOfIt, call) => {
    call.spend(ITEM * (chosen.length - 1));
    let undecided = false;
    for (const matches of chosen) {
      const found = matches(text, allOfIt, call);
      if (found) return true;
      undecided = undecided || found === undefined;
    }
    return undecided ? undefined : false;
  });
}

function known(matches: Matches | undefined): Matches {
  if (matches === undefined) throw new UnknownFormat("A pattern is missing.");
  return matches;
}

export function containingAny(values: string[], fold: boolean): Test {
  // Of a long word a language may compare much at each place before it goes on.
  const rates = values.map((value) => 1 + Math.floor(points(value) / 16));
  return ofText((all, allOfIt, call) => {
    let text = all;
    let end = Math.min(pointsOf(text, call), TEXT);
    let decided = allOfIt;
    if (fold) {
      const folding = Math.min(end, Math.floor(call.left / 2)); // the other half is for the search
      call.left -= folding;
      decided = decided && folding === end;
      text = folded(beginning(text, folding)) as string;
      end = folding;
    }
    for (let at = 0; at < values.length; at += 1) {
      if (call.left === 0) return undefined;
      const rate = rates[at] as number;
      const seen = Math.min(end, Math.floor((call.left * FIND - 1) / rate));
      call.left -= 1 + Math.floor((seen * rate) / FIND);
      if (beginning(text, seen).includes(values[at] as string)) return true;
      decided = decided && seen === end;
    }
    return decided ? false : undefined;
  });
}

export function startingWith(value: string, fold: boolean): Test {
  const size = points(value);
  return ofText((text, allOfIt, call) => {
    if (size > call.left) return undefined;
    call.left -= size;
    const begun = beginning(text, Math.min(size, TEXT));
    const head = fold ? (folded(begun) as string) : begun;
    if (allOfIt || points(head) === size) return head === value;
    return value.startsWith(head) ? undefined : false;
  });
}

export function endingWith(value: string, fold: boolean): Test {
  const size = points(value);
  return ofText((text, allOfIt, call) => {
    if (!allOfIt || size > call.left) return undefined;
    call.left -= size;
    const tail = text.slice(Math.max(text.length - value.length, 0));
    return (fold ? folded(tail) : tail) === value;
  });
}

// One step for each code point.
export function patternOf(automaton: Automaton): Matches {
  const width = automaton.width;
  const table = automaton.table;
  const ends = new Set(automaton.ends);
  const ascii: number[] = [];
  for (let code = 0; code < 128; code += 1) ascii.push(classOf(code, automaton));
  const last = automaton.bounds[automaton.bounds.length - 1] as number;
  const work = width <= NARROW && last <= NEAR ? 1 : SLOW;
  return (text, allOfIt, call) => {
    const most = Math.min(TEXT, Math.floor(call.left / work));
    let state = automaton.start;
    let steps = 0;
    let at = 0;
    for (; at < text.length && steps < most; at += 1) {
      const code = text.codePointAt(at) as number;
      if (code > 0xffff) at += 1;
      steps += 1;
      const kind = code < 128 ? (ascii[code] as number) : classOf(code, automaton);
      state = table[state * width + kind] as number;
      if (state < 0) break;
    }
    call.left -= work * steps;
    if (state < 0) return state === -2;
    return allOfIt && at === text.length ? ends.has(state) : undefined;
  };
}

function classOf(code: number, automaton: Automaton): number {
  let low = 0;
  let high = automaton.bounds.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((automaton.bounds[middle] as number) <= code) low = middle;
    else high = middle;
  }
  return automaton.classes[low] as number;
}
