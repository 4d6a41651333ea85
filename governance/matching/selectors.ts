// From a selector to a function that finds its value in a call, or that it is missing.

import type { Alternative, Call, Follow, Json, Select, Step, Value } from "./call.ts";
import { ITEM, Prefix, TEXT, UNREAD, UnknownFormat } from "./call.ts";
import { canonical, isObject, member, pointsOf, written } from "./values.ts";

const DEEPEST_JSON = 100;

export function selectorOf(alternatives: Alternative[]): Select {
  const paths = alternatives.map(pathOf);
  const only = paths[0] as Select;
  if (paths.length === 1) return only;
  return (call) => {
    for (const path of paths) {
      const value = path(call);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  };
}

function pathOf(alternative: Alternative): Select {
  const base = alternative.base;
  if (!["result", "tool", "elapsed_ms", "item"].includes(base)) throw new UnknownFormat(base);
  const walk = alternative.steps.map(stepOf);
  const spreads = alternative.steps.map((step) => step[0] === "items" || step[0] === "values");
  return (call) => {
    let value: Value = call[base];
    let many = false;
    for (let at = 0; at < walk.length && value !== undefined && value !== UNREAD; at += 1) {
      const step = walk[at] as Follow;
      if (many) {
        const items = value as Json[];
        const found: Json[] = [];
        call.spend(ITEM * items.length);
        for (const one of items) {
          const each = step(one, call);
          if (each === undefined) continue;
          if (each === UNREAD) return UNREAD;
          if (spreads[at]) for (const item of each as Json[]) found.push(item);
          else found.push(each as Json);
        }
        value = found;
      } else {
        value = step(value, call);
        many = spreads[at] === true;
      }
    }
    return value;
  };
}

function stepOf(step: Step): Follow {
  const given = step[1];
  switch (step[0]) {
    case "key":
      return (value) => member(value, given as string);
    case "index":
      return (value) => {
        if (!Array.isArray(value)) return undefined;
        const place = given as number;
        return value[place < 0 ? place + value.length : place];
      };
    case "items":
      return (value) => (Array.isArray(value) ? value : undefined);
    case "values":
      return (value, call) => {
        if (!isObject(value)) return undefined;
        const names = Object.keys(value).sort();
        call.spend(ITEM * names.length);
        return names.map((name) => value[name] as Json);
      };
    case "json":
      return (value, call) => {
        if (value instanceof Prefix) return UNREAD;
        return typeof value === "string" ? parsed(value, call) : undefined;
      };
    case "text":
      return (value, call) =>
        typeof value === "string" || value instanceof Prefix ? value : asText(value, call);
  }
  throw new UnknownFormat("The step " + JSON.stringify(step[0]) + " is not known here.");
}

function asText(value: Json, call: Call): Value {
  if (!Array.isArray(value) && !isObject(value)) return canonical(value, TEXT);
  if (call.read.has(value)) return call.read.get(value);
  const { text, work } = written(value, Math.floor(call.left / 2)); // the other half is for reading it
  call.spend(work);
  call.remember(value, text);
  return text;
}

function parsed(text: string, call: Call): Value {
  if (call.read.has(text)) return call.read.get(text);
  const value = read(text, call);
  call.remember(text, value);
  return value;
}

function read(text: string, call: Call): Value {
  let blank = 0;
  while (blank < text.length && " \t\n\r".includes(text.charAt(blank))) blank += 1;
  const isSome = /^[-{["0-9tfn]/.test(text.charAt(blank));
  const length = isSome ? pointsOf(text, call) : 0;
  if (blank + length > call.left || length > TEXT) return UNREAD;
  call.left -= blank + length;
  if (!isSome || tooDeep(text)) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return allFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function tooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted) {
      if (letter === "\\") at += 1;
      else if (letter === '"') quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === "[" || letter === "{") {
      depth += 1;
      if (depth > DEEPEST_JSON) return true;
    } else if (letter === "]" || letter === "}") depth -= 1;
  }
  return false;
}

function allFinite(value: Json): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(allFinite);
  return !isObject(value) || Object.keys(value).every((name) => allFinite(value[name] as Json));
}
