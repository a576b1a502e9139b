import type { Category, Outcome, TelemetryRecord } from "../../records/mod.ts";
import type { Item } from "./envelope.ts";
import { asObject, type Raw } from "../fields.ts";
import { type Decoded, type ItemContext, ItemError, jsonOf } from "./item_decoder.ts";

/** SDKs flush at 100 logs or 1,000 spans; more elements than this would hold the thread for long. */
const MAX_ELEMENTS = 5_000;

interface ContainerRules<T> {
  readonly category: Category;
  /** Why an element is counted as invalid, such as `invalid_log`. */
  readonly invalid: string;
  /** How many attributes of logs and spans one of these costs. */
  readonly attributeCost?: number;
  /** The element as a record, or null when it is no use; a text when the project does not want it. */
  readonly read: (element: Raw, index: number) => T | string | null;
}

/** What the elements of a container turn into. */
export interface Elements<T> {
  readonly elements: T[];
  readonly outcomes: Outcome[];
}

/**
 * Reads `{"items": […]}` element by element: a bad one costs only itself. What the header says about their number is
 * not believed.
 *
 * @throws {ItemError} when the payload is no container
 */
export function readContainer<T>(
  item: Item,
  { category, invalid, read, attributeCost = 1 }: ContainerRules<T>,
  { work }: ItemContext,
): Elements<T> {
  const payload = jsonOf(item);
  const items = Array.isArray(payload) ? payload : asObject(payload)?.items;
  if (!Array.isArray(items)) throw new ItemError("invalid", "not_a_container");
  if (items.length === 0) {
    const reason = "empty_container";
    return { elements: [], outcomes: [{ category, kind: "invalid", reason, quantity: 1 }] };
  }
  const elements: T[] = [];
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const most = work.takeElements(Math.min(items.length, MAX_ELEMENTS));
  for (const [index, raw] of items.slice(0, most).entries()) {
    const element = asObject(raw);
    if (!work.takeAttributes(attributeCost * attributesOf(element))) {
      count("too_large too_many_attributes");
      continue;
    }
    const result = element === undefined ? null : read(element, index);
    if (result === null) count(`invalid ${invalid}`);
    else if (typeof result === "string") count(`filtered ${result}`);
    else elements.push(result);
  }
  const outcomes = [...counts].map(([key, quantity]): Outcome => {
    const [kind, reason = ""] = key.split(" ");
    return { category, kind: kind as Outcome["kind"], reason, quantity };
  });
  const beyond = items.length - most;
  if (beyond > 0) {
    outcomes.push({ category, kind: "too_large", reason: "too_many_elements", quantity: beyond });
  }
  return { elements, outcomes };
}

function attributesOf(element: Raw | undefined): number {
  const attributes = asObject(element?.attributes);
  return attributes === undefined ? 0 : Object.keys(attributes).length;
}

/** A container whose elements are records by themselves. */
export function decodeContainer(
  item: Item,
  rules: ContainerRules<TelemetryRecord>,
  context: ItemContext,
): Decoded {
  const { elements, outcomes } = readContainer(item, rules, context);
  return { records: elements, outcomes };
}

/** Why the project does not want an element of this release, or null. */
export function filterOf(release: string, context: ItemContext): string | null {
  return context.policy.filterOther(release, context);
}
