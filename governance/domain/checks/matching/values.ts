// Values of JSON, and their texts, which are counted in code points.

import type { Json, Members, Value, Writing } from "./call.ts";

export const SHOWN = 200;
const SIZES: WeakMap<object, number> = new WeakMap(); // of objects, which tell it only by a walk

export function points(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  let count = 0;
  for (let at = 0; at < text.length; at += width(text, at)) count += 1;
  return count;
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
  return value.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

export function isObject(value: Value): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
  const writing: Writing = { parts: [], length: 0, most };
  write(value, writing);
  return writing.parts.join("");
}

export function write(value: Json, writing: Writing): void {
  if (writing.length > 2 * writing.most) return;
  if (Array.isArray(value)) {
    value.forEach((item, at) => {
      put(at ? "," : "[", writing);
      write(item, writing);
    });
    put(value.length ? "]" : "[]", writing);
  } else if (isObject(value)) {
    const names = Object.keys(value).sort();
    names.forEach((name, at) => {
      if (writing.length > 2 * writing.most) return;
      put((at ? "," : "{") + JSON.stringify(name) + ":", writing);
      write(value[name] as Json, writing);
    });
    put(names.length ? "}" : "{}", writing);
  } else {
    const text = typeof value === "string" ? beginning(value, writing.most) : value;
    put(JSON.stringify(text), writing);
  }
}

export function put(text: string, writing: Writing): void {
  if (writing.length > 2 * writing.most) return;
  writing.parts.push(text);
  writing.length += text.length;
}

export function said(value: Value): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? whole(beginning(value, SHOWN)) : canonical(value, SHOWN);
  return beginning(text, SHOWN);
}

export function shown(value: Value): Json {
  if (value === undefined || value === null || typeof value === "boolean") return value ?? null;
  if (typeof value === "string") return said(value);
  const text = canonical(value, SHOWN);
  if (points(text) > SHOWN || text.includes("\\ud")) return beginning(text, SHOWN);
  return JSON.parse(text) as Json;
}
