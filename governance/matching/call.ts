// The compiled form of a check, and what is judged: how much of the work for it is left.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Explanation {
  verdict: "success" | "failure" | "unknown";
  rule: string;
  selector: string; // of the condition that decided
  value: Json; // what stood there
  reason: string;
  labels: string[];
  cut: boolean; // it depends on text that was not read; then it is no success
}

export type Verdict = Explanation["verdict"];
export type Value = Json | undefined | Prefix; // undefined: missing
export type Truth = boolean | undefined; // undefined: undecided
export type Members = { [name: string]: Json };
export type Base = "result" | "tool" | "elapsed_ms" | "item";
export type Step = [string, (string | number)?];
export type Select = (call: Call) => Value;
export type Follow = (value: Json | Prefix, call: Call) => Value;
export type Test = (value: Value, call: Call) => Truth;
// Whether it is found in a text, of which all is given or only the beginning.
export type Matches = (text: string, allOfIt: boolean, call: Call) => Truth;
export type Decides = (call: Call) => Leaf | undefined;
export type Truths = (item: Json | Prefix) => Truth;
export type OnItems = (items: Json[], truth: Truths, call: Call) => Truth;
export type Judge = (toolName: string, result: Json, elapsedMs?: number) => Explanation;

export interface Alternative {
  base: Base;
  steps: Step[];
}

export interface Condition {
  all?: Condition[];
  any?: Condition[];
  not?: Condition;
  select?: Alternative[];
  text?: string;
  op?: string;
  value?: any; // of the type that the operator takes
  ignore_case?: boolean;
}

export interface Part {
  select?: Alternative[];
  value?: true;
}

export interface Rule {
  id: string;
  of: string | null;
  of_version: number | null;
  tool: string;
  when: Condition;
  verdict: Verdict;
  reason: (string | Part)[];
  label: string | null;
}

export interface Automaton {
  bounds: number[];
  classes: number[];
  width: number;
  start: number;
  table: number[];
  ends: number[];
}

export interface Compiled {
  format: number;
  name: string;
  version: number;
  otherwise: Verdict | "default";
  automata: Automaton[];
  rules: Rule[];
}

export interface Leaf {
  text: string;
  select: Select;
}

export interface Ruled {
  name: string;
  verdict: Verdict;
  tool: string;
  decides: Decides;
  explained: (leaf: Leaf, call: Call) => Explanation;
}

export interface Writing {
  parts: string[];
  most: number; // characters of a text in it
  put: (part: string) => boolean; // whether it goes on
}

export interface Written {
  text: string | Prefix;
  work: number;
}

export interface Dumps {
  toJSON?: unknown;
}

export const WORK = 50_000_000;
export const ITEM = 16;
export const TEXT = 16_777_216; // code points of a text that are read at most
const MOST_READ = 64; // values that are remembered with their texts, and texts with their values

export class UnknownFormat extends Error {}

export class TooMuch extends Error {}

// The beginning of a text whose rest was not read.
export class Prefix {
  text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const UNREAD = new Prefix(""); // anything, or missing

export class Call {
  tool: string;
  result: Json;
  elapsed_ms: Value;
  item: Value = undefined;
  left: number = WORK;
  counted: string = "";
  count: number = 0;
  read: Map<Value, Value> = new Map();

  constructor(tool: string, result: Json, elapsedMs: Value) {
    this.tool = tool;
    this.result = result;
    this.elapsed_ms = elapsedMs;
  }

  remember(key: Value, value: Value): void {
    if (this.read.size < MOST_READ) this.read.set(key, value);
  }

  spend(work: number): void {
    this.left -= work;
    if (this.left < 0) throw new TooMuch();
  }
}
