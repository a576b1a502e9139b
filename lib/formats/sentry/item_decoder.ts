import type { Category, Outcome, OutcomeKind, TelemetryRecord } from "../../records/mod.ts";
import type { DecodeContext, Policy } from "../decode_context.ts";
import { type Clock, eventTime } from "../event_time.ts";
import { asObject, clippedName, type Raw, readAttributes, textIn } from "../fields.ts";
import { recordId } from "../ids.ts";
import { type Json, JsonMeter, type JsonObject, parseJson, textOf } from "../json.ts";
import { SIZE, TEXT } from "../limits.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import type { EnvelopeHeader, Item } from "./envelope.ts";
import { parseEventText } from "./known_stacks.ts";

/** What a decoder of one item may use beside the item. */
export interface ItemContext extends DecodeContext {
  readonly header: EnvelopeHeader;
  /** Place of the item in its envelope: with the request it makes ids. */
  readonly index: number;
  /** The id for a record that is an event: the header's, for the first of them; else null. */
  readonly eventId: string | null;
  /** The event that the envelope is about, for what comes along with it; or null. */
  readonly companionId: string | null;
  /** What the request may still cost. */
  readonly work: WorkBudget;
}

/** What one item turns into: all of it is among the records or the outcomes. */
export interface Decoded {
  readonly records: readonly TelemetryRecord[];
  readonly outcomes: readonly Outcome[];
}

/** @throws {ItemError} when nothing of the item can be used */
export type ItemDecoder = (item: Item, context: ItemContext) => Decoded;

/** An item is no use; counted with the reason. */
export class ItemError extends Error {
  override name = "ItemError";

  constructor(
    readonly kind: OutcomeKind,
    /** A short machine word such as `invalid_json`. */
    readonly reason: string,
    /** Beside the item itself: what was in it and goes with it. */
    readonly others: readonly Outcome[] = [],
  ) {
    super(`Cannot use the item: ${reason}`);
  }
}

export function decoded(...records: readonly TelemetryRecord[]): Decoded {
  return { records, outcomes: [] };
}

/** The payload as JSON. @throws {ItemError} */
export function jsonOf({ payload }: Item): Json {
  return readJson(() => parseJson(payload));
}

/** The payload of an item that is an event, as JSON. @throws {ItemError} */
export function eventJsonOf(item: Item, policy: Policy): Json {
  const { payload } = item;
  if (payload.length > SIZE.wholeEvent) return jsonOf(item);
  return readJson(() => parseEventText(textOf(payload), policy));
}

function readJson(read: () => Json): Json {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw new ItemError("invalid", "invalid_json");
    throw error;
  }
}

/** The payload as a JSON object. @throws {ItemError} */
export function objectOf(item: Item): Raw {
  const raw = asObject(jsonOf(item));
  if (raw === undefined) throw new ItemError("invalid", "not_an_object");
  return raw;
}

/** The clock of the request's client. */
export function clockOf({ receivedAt, header, retentionDays }: ItemContext): Clock {
  return { receivedAt, sentAt: header.sentAt, retentionDays };
}

/**
 * When something happened, corrected and clamped as events are, with what the clock told beyond milliseconds: seconds
 * as numbers hold microseconds. The time of receipt when it does not say.
 */
export function exactTimeOf(
  sent: unknown,
  context: ItemContext,
): { readonly timestamp: Date; readonly nanos: number } {
  const micros = Math.round(eventTime(sent, clockOf(context)).timestamp * 1e6);
  return { timestamp: new Date(Math.floor(micros / 1000)), nanos: micros % 1000 * 1000 };
}

/** An id for the `n`th record of the item. */
export function idIn({ requestId, index }: ItemContext, n: number | string = 0): string {
  return recordId(requestId, index, n);
}

/** @throws {ItemError} when the project's filters do not want what comes from this sender */
export function refuseFiltered(release: string, context: ItemContext): void {
  const reason = context.policy.filterOther(release, context);
  if (reason !== null) throw new ItemError("filtered", reason);
}

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
interface Elements<T> {
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
  const tally = new OutcomeTally();
  const most = work.takeElements(Math.min(items.length, MAX_ELEMENTS));
  for (const [index, raw] of items.slice(0, most).entries()) {
    const element = asObject(raw);
    if (!work.takeAttributes(attributeCost * attributesOf(element))) {
      tally.add(category, "too_large", "too_many_attributes");
      continue;
    }
    const result = element === undefined ? null : read(element, index);
    if (result === null) tally.add(category, "invalid", invalid);
    else if (typeof result === "string") tally.add(category, "filtered", result);
    else elements.push(result);
  }
  tally.add(category, "too_large", "too_many_elements", items.length - most);
  return { elements, outcomes: tally.outcomes };
}

function attributesOf(element: Raw | undefined): number {
  const attributes = asObject(element?.attributes);
  return attributes === undefined ? 0 : Object.keys(attributes).length;
}

/** What elements of all containers say in their attributes, without secrets. */
export interface ElementFacts {
  readonly attributes: JsonObject;
  readonly release: string;
  readonly environment: string;
}

/** Reads the attributes of an element; a text, which says why, when the project does not want it. */
export function readElementFacts(element: Raw, context: ItemContext): ElementFacts | string {
  const attributes = readAttributes(element.attributes);
  const release = clippedName(textIn(attributes, "sentry.release"), TEXT.name) ?? "";
  const unwanted = context.policy.filterOther(release, context);
  if (unwanted !== null) return unwanted;
  context.policy.scrubObject(attributes);
  const environment = clippedName(textIn(attributes, "sentry.environment"), TEXT.word) ?? "";
  return { attributes, release, environment };
}

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
