import { storable } from "../../core/storable.ts";
import type { Policy } from "../../ingest/policy.ts";
import { clippedName } from "../fields.ts";
import { TEXT } from "../limits.ts";

const MAX_KEYS = 64;
const MAX_VALUES_A_KEY = 100;

/** The distinct values of labels. Those beyond the limits of a profile's index are left out. */
export class LabelValues {
  readonly #values = new Map<string, Set<string>>();

  /** Adds a value, cut to what an index row holds; nothing happens when either is empty. */
  add(key: string, value: string): void {
    const name = indexed(key);
    const text = indexed(value);
    if (name === "" || text === "") return;
    let values = this.#values.get(name);
    if (values === undefined) {
      if (this.#values.size >= MAX_KEYS) return;
      this.#values.set(name, values = new Set());
    }
    if (values.size < MAX_VALUES_A_KEY) values.add(text);
  }

  addAll(others: LabelValues): void {
    for (const [key, values] of others.#values) {
      for (const value of values) this.add(key, value);
    }
  }

  /** The value of the first of these labels that has exactly one; else `""`. */
  only(...keys: readonly string[]): string {
    for (const key of keys) {
      const [first, ...more] = this.#values.get(key) ?? [];
      if (first !== undefined && more.length === 0) return first;
    }
    return "";
  }

  /** As {@linkcode only}, and removes that label. */
  take(...keys: readonly string[]): string {
    for (const key of keys) {
      const value = this.only(key);
      if (value === "") continue;
      this.#values.delete(key);
      return value;
    }
    return "";
  }

  /** All labels, each key with its values. */
  lists(): Record<string, string[]> {
    return Object.fromEntries([...this.#values].map(([key, values]) => [key, [...values]]));
  }

  /** The same without what the project calls secret. */
  scrubbed(policy: Pick<Policy, "scrubObject">): Record<string, string[]> {
    return Object.fromEntries(
      [...this.#values].map(([key, values]) => [key, scrub(key, [...values], policy)]),
    );
  }
}

function scrub(key: string, values: string[], policy: Pick<Policy, "scrubObject">): string[] {
  const object = { [key]: values as string | string[] };
  policy.scrubObject(object);
  const left = object[key];
  if (left === undefined) return [];
  return Array.isArray(left) ? left.map(String) : [String(left)];
}

function indexed(text: string): string {
  return storable(clippedName(text, TEXT.name) ?? "");
}
