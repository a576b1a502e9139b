import { JsonMeter } from "../json_meter.ts";
import type { Item } from "./envelope.ts";

/**
 * What the items of one request may cost together: a quarter of a second and 64 MB, since others wait meanwhile. SDKs
 * send a hundred logs, or a thousand spans, at once; a thousand logs of a hundred attributes are within it.
 */
const LIMITS = {
  json: { parts: 900_000, names: 50_000 },
  /** Logs, spans, observations, minutes of sessions. */
  elements: 10_000,
  /** Of those elements. */
  attributes: 200_000,
} as const;

/**
 * What a part of these costs: their samples are all alike, and those of a minute of thirty threads shall fit.
 */
const PART_COSTS: Readonly<Record<string, number>> = { profile: 0.6, profile_chunk: 0.6 };

/** Bodies up to this are not looked through: even nothing but brackets takes a few milliseconds. */
const SMALL_BYTES = 100_000;

/** What is left of what a request may cost. */
export class WorkBudget {
  readonly #meter: JsonMeter | null;
  #elements: number = LIMITS.elements;
  #attributes: number = LIMITS.attributes;

  /** @param bytes of all items */
  constructor(bytes: number) {
    this.#meter = bytes > SMALL_BYTES ? new JsonMeter(LIMITS.json) : null;
  }

  /** Whether an item may be parsed. */
  admits({ type, payload }: Item): boolean {
    const cost = Object.hasOwn(PART_COSTS, type) ? PART_COSTS[type] : 1;
    return this.#meter?.admits(payload, cost) ?? true;
  }

  /** How many of so many elements may be read. */
  takeElements(wanted: number): number {
    const taken = Math.min(wanted, this.#elements);
    this.#elements -= taken;
    return taken;
  }

  /** Whether an element of so many attributes may be read. */
  takeAttributes(count: number): boolean {
    if (count > this.#attributes) return false;
    this.#attributes -= count;
    return true;
  }
}
