// From an operator to a test: false of what is missing, and of what it is not meant for.

import type { Automaton, Condition, Json, Matches, Test, Value } from "./call.ts";
import { ITEM, UnknownFormat } from "./call.ts";
import { TEXT } from "./selectors.ts";
import { beginning, folded, isEmpty, isObject, points, same, size } from "./values.ts";

export function operatorOf(leaf: Condition, patterns: Matches[]): Test {
  const fold = leaf.ignore_case === true;
  const wanted = fold ? foldedAll(leaf.value) : leaf.value;
  switch (leaf.op) {
    case "exists":
      return (seen) => (seen !== undefined && seen !== null) === wanted;
    case "equals":
      return among([wanted], fold);
    case "in":
      return among(wanted as Json[], fold);
    case "not_equals":
      return not(among([wanted], fold));
    case "not_in":
      return not(among(wanted as Json[], fold));
    case "contains":
      return ofText((text) => text.includes(wanted), 1, fold);
    case "contains_any": {
      const needles = wanted as string[];
      const work = 1 + Math.floor(needles.length / 16);
      return ofText((text) => needles.some((needle) => text.includes(needle)), work, fold);
    }
    case "starts_with":
      return ofText((text) => text.startsWith(wanted), 1, fold);
    case "ends_with":
      return ofText((text) => text.endsWith(wanted), 1, fold);
    case "matches":
      return matchingAny([wanted], patterns);
    case "matches_any":
      return matchingAny(wanted as number[], patterns);
    case "gt":
      return (seen) => typeof seen === "number" && seen > wanted;
    case "gte":
      return (seen) => typeof seen === "number" && seen >= wanted;
    case "lt":
      return (seen) => typeof seen === "number" && seen < wanted;
    case "lte":
      return (seen) => typeof seen === "number" && seen <= wanted;
    case "type":
      return (seen) => typeOf(seen) === wanted;
    case "empty":
      return (seen) => seen !== undefined && isEmpty(seen) === wanted;
    case "length": {
      const compare = operatorOf(wanted as Condition, patterns);
      return (seen, call) => compare(size(seen), call);
    }
  }
  throw new UnknownFormat("The operator " + JSON.stringify(leaf.op) + " is not known here.");
}

function foldedAll(wanted: Json): Json {
  if (Array.isArray(wanted)) return wanted.map((each) => folded(each) as Json);
  return folded(wanted) as Json;
}

function typeOf(seen: Value): string {
  if (seen === null) return "null";
  if (Array.isArray(seen)) return "array";
  return typeof seen === "boolean" ? "bool" : typeof seen;
}

function not(test: Test): Test {
  return (seen, call) => seen !== undefined && !test(seen, call);
}

function among(wanted: Json[], fold: boolean): Test {
  const flat: Set<Json> = new Set(wanted);
  // Folding keeps the length of a text, and costs a walk over it.
  const lengths = new Set(wanted.map((each) => (typeof each === "string" ? each.length : -1)));
  const longest = wanted.reduce(
    (most: number, each) => Math.max(most, typeof each === "string" ? points(each) : 0),
    0,
  );
  const walk = Math.floor(longest / (fold ? 1 : ITEM));
  const deep = wanted.filter((each) => typeof each === "object" && each !== null);
  const work = deep.map(workOf);
  return (seen, call) => {
    if (Array.isArray(seen) || isObject(seen)) {
      call.spend(ITEM * deep.length);
      return deep.some((each, at) => {
        if (Array.isArray(each) !== Array.isArray(seen) || size(each) !== size(seen)) return false;
        call.spend(work[at] as number);
        return same(each, seen);
      });
    }
    if (typeof seen === "string") {
      call.spend(walk);
      if (!lengths.has(seen.length)) return false;
    }
    return seen !== undefined && flat.has((fold ? folded(seen) : seen) as Json);
  };
}

// The work of comparing with it, at most.
function workOf(value: Json): number {
  if (typeof value === "string") return ITEM + Math.floor(points(value) / ITEM);
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return inner.reduce((sum: number, each) => sum + workOf(each), ITEM);
}

function ofText(test: Matches, work: number, fold: boolean): Test {
  return (seen, call) => {
    if (typeof seen !== "string") return false;
    const text = beginning(seen, TEXT);
    if (text.length < seen.length) call.cut = true;
    call.spend(points(text) * work + ITEM * (work - 1));
    return test(fold ? (folded(text) as string) : text);
  };
}

function matchingAny(places: number[], patterns: Matches[]): Test {
  const chosen = places.map((place) => known(patterns[place]));
  return ofText((text) => chosen.some((matches) => matches(text)), chosen.length, false);
}

function known(matches: Matches | undefined): Matches {
  if (matches === undefined) throw new UnknownFormat("A pattern is missing.");
  return matches;
}

// One step for each code point.
export function patternOf(automaton: Automaton): Matches {
  const width = automaton.width;
  const table = automaton.table;
  const ends = new Set(automaton.ends);
  const ascii: number[] = [];
  for (let code = 0; code < 128; code += 1) ascii.push(classOf(code, automaton));
  return (text) => {
    let state = automaton.start;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.codePointAt(at) as number;
      if (code > 0xffff) at += 1;
      const kind = code < 128 ? (ascii[code] as number) : classOf(code, automaton);
      state = table[state * width + kind] as number;
      if (state < 0) return state === -2;
    }
    return ends.has(state);
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
