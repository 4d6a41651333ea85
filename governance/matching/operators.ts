// From an operator to a test: false of what is missing, and of what it is not meant for; undecided
// where that depends on what was not read.

import type { Condition, Json, Matches, Test, Value } from "./call.ts";
import { ITEM, Prefix, UnknownFormat } from "./call.ts";
import { containingAny, endingWith, matchingAny, startingWith } from "./texts.ts";
import { folded, isEmpty, isObject, isPrefix, points, same, size } from "./values.ts";

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
      return containingAny([wanted], fold);
    case "contains_any":
      return containingAny(wanted as string[], fold);
    case "starts_with":
      return startingWith(wanted, fold);
    case "ends_with":
      return endingWith(wanted, fold);
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
      return (seen, call) => (seen instanceof Prefix ? undefined : compare(size(seen), call));
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
  if (seen instanceof Prefix) return "string";
  return typeof seen === "boolean" ? "bool" : typeof seen;
}

function not(test: Test): Test {
  return (seen, call) => {
    if (seen === undefined) return false;
    const truth = test(seen, call);
    return truth === undefined ? undefined : !truth;
  };
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
    if (seen instanceof Prefix) return undefined;
    if (Array.isArray(seen) || isObject(seen)) {
      call.spend(ITEM * deep.length);
      let undecided = false;
      for (let at = 0; at < deep.length; at += 1) {
        const each = deep[at] as Json;
        if (Array.isArray(each) !== Array.isArray(seen) || size(each) !== size(seen)) continue;
        call.spend(work[at] as number);
        // Texts of several values, one of them not to its end.
        if (Array.isArray(seen) && seen.some((item) => isPrefix(item))) undecided = true;
        else if (same(each, seen)) return true;
      }
      return undecided ? undefined : false;
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
