import { clip, type Raw } from "../fields.ts";
import { SIZE } from "../limits.ts";
import type { NormalizedEvent, Stacktrace } from "./normalized_event.ts";

/** Characters that each field of a part may take; undefined leaves a field alone. */
type Limit = (key: string) => number | undefined;

/**
 * Cuts the free-form parts of a large event to the sizes in `limits.ts`, in place, and names the parts that
 * lost something in `_received.trimmed`. Events up to `SIZE.wholeEvent` are left as they are.
 *
 * @param bytes size of the event as sent; undefined when it is not known
 */
export function trimLargeEvent(event: NormalizedEvent, bytes: number | undefined): void {
  if (bytes !== undefined && bytes <= SIZE.wholeEvent) return;
  const trimmed = new Set<string>();
  const trim = (part: string, object: object | undefined, limit: Limit) => {
    if (object && trimFields(object as Raw, limit)) trimmed.add(part);
  };

  trim("extra", event.extra, () => SIZE.extraValue);
  trim("contexts", event.contexts, () => SIZE.context);
  trim("request", event.request, () => SIZE.requestField);
  for (const crumb of event.breadcrumbs?.values ?? []) {
    trim("breadcrumbs", crumb, except(["message"], SIZE.crumbField));
  }
  for (const exception of event.exception?.values ?? []) {
    trim("exception", exception, except(["value", ...STACKS], SIZE.otherField));
  }
  for (const thread of event.threads?.values ?? []) {
    trim("threads", thread, except(STACKS, SIZE.otherField));
  }
  for (const frame of framesOf(event)) trim("frames", frame, except(SOURCE, SIZE.variables));
  trim("event", event, limitOfPart);

  if (trimmed.size > 0) event._received = { ...event._received, trimmed: [...trimmed] };
}

const STACKS = ["stacktrace", "raw_stacktrace"];
const SOURCE = ["pre_context", "post_context"];

/** Bounded above, or by the limits on numbers and lengths that hold for every event. */
const BOUNDED_PARTS = [
  ...["request", "breadcrumbs", "exception", "threads", "stacktrace"],
  ...["logentry", "fingerprint", "tags", "_received"],
];

const PARTS: ReadonlyMap<string, number> = new Map([
  ["extra", SIZE.extra],
  ["contexts", SIZE.contexts],
  ["modules", SIZE.modules],
  ["debug_meta", SIZE.debugMeta],
]);

const otherParts = except(BOUNDED_PARTS, SIZE.otherField);

function limitOfPart(name: string): number | undefined {
  return PARTS.get(name) ?? otherParts(name);
}

function except(keys: readonly string[], limit: number): Limit {
  return (key) => keys.includes(key) ? undefined : limit;
}

function framesOf(event: NormalizedEvent): object[] {
  const carriers: { stacktrace?: Stacktrace; raw_stacktrace?: Stacktrace }[] = [
    event,
    ...(event.exception?.values ?? []),
    ...(event.threads?.values ?? []),
  ];
  return carriers.flatMap(({ stacktrace, raw_stacktrace }) => [
    ...(stacktrace?.frames ?? []),
    ...(raw_stacktrace?.frames ?? []),
  ]);
}

function trimFields(object: Raw, limit: Limit): boolean {
  let isTrimmed = false;
  for (const [key, value] of Object.entries(object)) {
    const room = limit(key);
    if (room === undefined) continue;
    const budget: Budget = { room: room - key.length, isSpent: false };
    if (budget.room > 0) object[key] = fit(value, budget);
    else leaveOut(object, key, budget);
    isTrimmed ||= budget.isSpent;
  }
  return isTrimmed;
}

interface Budget {
  /** Characters left. */
  room: number;
  /** Something did not fit. */
  isSpent: boolean;
}

/** What an element costs besides its text: quotes, a colon, a comma. */
const OVERHEAD = 4;

/** The value, with texts cut and elements left out from where the room ends. */
function fit(value: unknown, budget: Budget): unknown {
  budget.room -= OVERHEAD;
  if (typeof value === "string") {
    const text = clip(value, Math.max(budget.room, OVERHEAD));
    budget.isSpent ||= text !== value;
    budget.room -= text.length;
    return text;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return fitList(value, budget);
  for (const [key, child] of Object.entries(value)) {
    budget.room -= key.length;
    if (budget.room > 0) (value as Raw)[key] = fit(child, budget);
    else leaveOut(value as Raw, key, budget);
  }
  return value;
}

function fitList(list: unknown[], budget: Budget): unknown[] {
  for (let i = 0; i < list.length; i++) {
    if (budget.room > 0) list[i] = fit(list[i], budget);
    else {
      budget.isSpent = true;
      return list.slice(0, i);
    }
  }
  return list;
}

function leaveOut(object: Raw, key: string, budget: Budget): void {
  if (object[key] === undefined) return;
  object[key] = undefined;
  budget.isSpent = true;
}
