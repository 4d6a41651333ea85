// Any value of a program as JSON. It never throws and always ends.

import type { Dumps, Json, Members } from "./call.ts";

const DEEPEST = 64;

export function plain(value: unknown, around: unknown[]): Json {
  switch (typeof value) {
    case "boolean":
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return Number(value);
    case "object":
      break;
    default:
      return null;
  }
  if (value === null) return null;
  if (around.length >= DEEPEST) return Array.isArray(value) ? "[list]" : "[dict]";
  if (around.includes(value)) return "[circular]";
  try {
    return inside(value, [...around, value]);
  } catch {
    return "[object]";
  }
}

function inside(value: object, around: unknown[]): Json {
  const dumps = (value as Dumps).toJSON;
  if (typeof dumps === "function") return plain(dumps.call(value, ""), around);
  if (Array.isArray(value)) return Array.from(value, (item) => plain(item, around));
  if (value instanceof Set) return Array.from(value, (item) => plain(item, around));
  if (value instanceof Error) return value.name + ": " + value.message;
  if (value instanceof Map) return membersOf(Array.from(value), around);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return plain(value.valueOf(), around);
  }
  return membersOf(Object.entries(value), around);
}

function membersOf(entries: [unknown, unknown][], around: unknown[]): Json {
  const members: Members = Object.create(null);
  for (const [name, value] of entries) {
    const left = value === undefined || typeof value === "function" || typeof value === "symbol";
    if (!left) members[String(name)] = plain(value, around);
  }
  return members;
}
