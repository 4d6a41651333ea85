// Values of JSON, and their texts, which are counted in code points.

import type { Call, Json, Members, Value, Writing, Written } from "./call.ts";
import { Prefix, TEXT, UNREAD } from "./call.ts";

export const SHOWN = 200;
const PIECE = 8_192;
const WRITE = 32; // the work for each value in a text of it, beside its characters
const SIZES: WeakMap<object, number> = new WeakMap(); // of objects, which tell it only by a walk

export function points(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at += width(text, at)) count += 1;
  return count;
}

// Of a text that several rules read, counted once.
export function pointsOf(text: string, call: Call): number {
  if (call.counted !== text) {
    call.counted = text;
    call.count = points(text);
  }
  return call.count;
}

export function width(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  let at = 0;
  for (let count = 0; count < most && at < text.length; count += 1) at += width(text, at);
  return text.slice(0, at);
}

export function whole(text: string): string {
  const halves = /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;
  return text.replace(halves, (found) => (found.length === 2 ? found : "\ufffd"));
}

export function folded(value: Value): Value {
  if (typeof value !== "string") return value;
  if (!/[A-Z]/.test(value)) return value;
  if (!/[^\x00-\x7f]/.test(value)) return value.toLowerCase();
  const parts: string[] = [];
  for (let at = 0; at < value.length; at += PIECE) {
    const codes: number[] = [];
    for (let code = at; code < Math.min(at + PIECE, value.length); code += 1) {
      const unit = value.charCodeAt(code);
      codes.push(unit > 64 && unit < 91 ? unit + 32 : unit);
    }
    parts.push(String.fromCharCode.apply(null, codes));
  }
  return parts.join("");
}

export function isObject(value: Value): value is Members {
  const isOther = value === null || Array.isArray(value) || value instanceof Prefix;
  return typeof value === "object" && !isOther;
}

export function isPrefix(value: Value): boolean {
  return value instanceof Prefix;
}

export function has(value: Members, name: string): boolean {
  return Object.prototype.hasOwnProperty.call(value, name);
}

export function member(value: Value, name: string): Value {
  return isObject(value) && has(value, name) ? value[name] : undefined;
}

export function isEmpty(value: Value): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === "" || (isObject(value) && size(value) === 0);
}

export function size(value: Value): number | undefined {
  if (typeof value === "string") return points(value);
  if (Array.isArray(value)) return value.length;
  if (!isObject(value)) return undefined;
  const known = SIZES.get(value);
  if (known !== undefined) return known;
  const counted = Object.keys(value).length;
  SIZES.set(value, counted);
  return counted;
}

export function same(wanted: Value, seen: Value): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(seen) || seen.length !== wanted.length) return false;
    return wanted.every((each, at) => same(each, seen[at]));
  }
  if (!isObject(wanted)) return wanted === seen;
  if (!isObject(seen)) return false;
  const names = Object.keys(wanted);
  if (names.length !== size(seen)) return false;
  return names.every((name) => has(seen, name) && same(wanted[name], seen[name]));
}

export function canonical(value: Json, most: number): string {
  let length = 0;
  const parts: string[] = [];
  const put = (part: string): boolean => {
    parts.push(part);
    length += part.length;
    return length <= 2 * most;
  };
  write(value, "", { parts, most, put });
  return parts.join("");
}

// As much of it as may be written for that much work, and the work.
export function written(value: Json, allowed: number): Written {
  let length = 0;
  let spent = 0;
  let isCut = false;
  const parts: string[] = [];
  const put = (part: string): boolean => {
    const room = Math.min(allowed - spent - WRITE, TEXT - length);
    const size = points(part);
    isCut = size > room;
    parts.push(isCut ? beginning(part, Math.max(room, 0)) : part);
    length += size;
    spent += WRITE + size;
    return !isCut;
  };
  const most = TEXT;
  write(value, "", { parts, most, put });
  const text = parts.join("");
  return isCut ? { text: new Prefix(text), work: allowed } : { text, work: spent };
}

// A part for each value, with its name, and one for each end.
export function write(value: Json | Prefix, before: string, writing: Writing): boolean {
  if (Array.isArray(value)) {
    if (!writing.put(before + "[")) return false;
    if (!value.every((item, at) => write(item, at ? "," : "", writing))) return false;
    return writing.put("]");
  }
  if (isObject(value)) {
    if (!writing.put(before + "{")) return false;
    const names = Object.keys(value).sort();
    const writes = (name: string, at: number): boolean =>
      write(value[name] as Json, (at ? "," : "") + JSON.stringify(name) + ":", writing);
    return names.every(writes) && writing.put("}");
  }
  if (value instanceof Prefix) return write(value.text, before, writing);
  const text = typeof value === "string" ? beginning(value, writing.most) : value;
  return writing.put(before + JSON.stringify(text));
}

export function said(value: Value): string {
  if (value === undefined || value === UNREAD) return "";
  if (value instanceof Prefix) return said(value.text);
  const text = typeof value === "string" ? whole(beginning(value, SHOWN)) : canonical(value, SHOWN);
  return beginning(text, SHOWN);
}

export function shown(value: Value): Json {
  if (value === undefined || value === UNREAD) return null;
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string" || value instanceof Prefix) return said(value);
  const text = canonical(value, SHOWN);
  if (points(text) > SHOWN || text.includes("\\ud")) return beginning(text, SHOWN);
  return JSON.parse(text) as Json;
}
