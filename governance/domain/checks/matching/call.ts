// The compiled form of a check, and what is judged: how much of the work for it is left.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Explanation {
  verdict: "success" | "failure" | "unknown";
  rule: string;
  selector: string; // of the condition that decided
  value: Json; // what stood there
  reason: string;
  labels: string[];
  cut: boolean; // of some text not all was looked at
}

export type Verdict = Explanation["verdict"];
export type Value = Json | undefined; // undefined: missing
export type Members = { [name: string]: Json };
export type Base = "result" | "tool" | "elapsed_ms" | "item";
export type Step = [string, (string | number)?];
export type Select = (call: Call) => Value;
export type Follow = (value: Json, call: Call) => Value;
export type Test = (value: Value, call: Call) => boolean;
export type Matches = (text: string) => boolean;
export type Decides = (call: Call) => Leaf | undefined;
export type Truths = (item: Json) => boolean;
export type OnItems = (items: Json[], truth: Truths, call: Call) => boolean;
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
  tool: string;
  decides: Decides;
  explained: (leaf: Leaf, call: Call) => Explanation;
}

export interface Writing {
  parts: string[];
  length: number;
  most: number;
}

export interface Dumps {
  toJSON?: unknown;
}

export const WORK = 50_000_000;
export const ITEM = 16;
const MOST_READ = 64; // values that are remembered with their texts, and texts with their values

export class UnknownFormat extends Error {}

export class TooMuch extends Error {}

export class Call {
  tool: string;
  result: Json;
  elapsed_ms: Value;
  item: Value = undefined;
  cut: boolean = false;
  left: number = WORK;
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
