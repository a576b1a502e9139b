import { createHash } from "node:crypto";
import { exactNanos, msBetween } from "../../records/span_rules.ts";
import {
  type Measurement,
  type Span,
  SPAN_KINDS,
  type SpanKind,
  type SpanLink,
  type Transaction,
} from "../../records/mod.ts";
import { asObject, clippedName, readAttributes, textIn } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";

/**
 * The id of the row that these spans are stored in: the same for the same set of spans in whichever order and request
 * they come, so that a client's second attempt stores nothing twice.
 *
 * @param traceId 32 lower-case hex digits
 * @param spans at least one, their ids 16 lower-case hex digits
 * @returns 32 lower-case hex digits
 */
export function spanBatchId(
  traceId: string,
  spans: readonly { readonly spanId: string }[],
): string {
  const ids = spans.map(({ spanId }) => spanId);
  return md5([traceId, ...ids.sort()].join("/"));
}

/**
 * The event id of a local root that is a span and has none of its own: the same from whichever request it comes.
 *
 * @returns 32 lower-case hex digits
 */
export function entryEventId(traceId: string, spanId: string): string {
  return md5(`${traceId}/${spanId}`);
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** Start and duration of a local root, so that its row and its span tell the same. */
export function spanTimes(
  { start, end, fine = [0, 0] }: Pick<Span, "start" | "end" | "fine">,
): Pick<Transaction, "startedAt" | "startedMicros" | "durationMs"> {
  const micros = Math.round(start * 1e6);
  return {
    startedAt: new Date(Math.floor(micros / 1000)),
    startedMicros: micros % 1000,
    durationMs: msBetween(exactNanos(start, fine[0]), exactNanos(end, fine[1])),
  };
}

const KINDS: ReadonlyMap<string, SpanKind> = new Map(SPAN_KINDS.map((kind) => [kind, kind]));

/** The first of these that names a kind of span, in whichever case; `""` when none does. */
export function readSpanKind(...sent: readonly unknown[]): SpanKind {
  for (const value of sent) {
    if (typeof value !== "string" || value === "") continue;
    const kind = KINDS.get(value.toLowerCase());
    if (kind !== undefined) return kind;
  }
  return "";
}

/** The service that attributes name, else the one given by a tag; `""` when there is none. */
export function serviceName(attributes: JsonObject, tag?: string): string {
  const named = textIn(attributes, "service.name", "sentry.service");
  return clippedName(named || tag, TEXT.name) ?? "";
}

const MAX_LINKS = 128;
const NO_LINKS: readonly SpanLink[] = [];

/**
 * The links of a span as Sentry's SDKs send them, at most 128; those without ids are left out.
 *
 * @param scrub takes secrets out of a link's attributes, in place
 */
export function readSpanLinks(
  sent: unknown,
  scrub: (attributes: JsonObject) => void,
): readonly SpanLink[] {
  if (!Array.isArray(sent)) return NO_LINKS;
  return sent.slice(0, MAX_LINKS).flatMap((each) => {
    const raw = asObject(each);
    const traceId = readTraceId(raw?.trace_id);
    const spanId = readSpanId(raw?.span_id);
    if (traceId === undefined || spanId === undefined) return [];
    const attributes = readAttributes(raw?.attributes);
    scrub(attributes);
    return [{ traceId, spanId, attributes }];
  });
}

const ATTRIBUTE = /^browser\.web_vital\.(lcp|cls|fcp|fp|ttfb|inp)\.value$/;
const REQUEST_TIME = "browser.web_vital.ttfb.request_time";
const VITALS: ReadonlySet<string> = new Set(["lcp", "cls", "fcp", "fp", "ttfb", "inp", "fid"]);
const INP_ORIGIN = /\bbrowser\.inp$/;

/** What is known of a span that may measure how a page felt. */
interface VitalSource {
  /** As measured by SDKs that send measurements beside the attributes. */
  readonly measurements: readonly Measurement[];
  readonly attributes: JsonObject;
  readonly origin: string;
  readonly durationMs: number;
}

/**
 * The measurements of a span, Web Vitals among them wherever SDKs put those: each name once, and no vital below zero,
 * which broken clocks make.
 */
export function readVitals(
  { measurements, attributes, origin, durationMs }: VitalSource,
): readonly Measurement[] {
  const sent = measurements.filter(isPlausible);
  const more = inAttributes(attributes).filter(({ name }) => !hasName(sent, name));
  const all = more.length === 0 ? sent : [...sent, ...more];
  const isInp = INP_ORIGIN.test(origin) && !hasName(all, "inp");
  return isInp ? [...all, { name: "inp", value: durationMs, unit: "millisecond" }] : all;
}

function isPlausible({ name, value }: Measurement): boolean {
  return value >= 0 || !VITALS.has(name);
}

function hasName(measurements: readonly Measurement[], wanted: string): boolean {
  return measurements.some(({ name }) => name === wanted);
}

function inAttributes(attributes: JsonObject): Measurement[] {
  const found: Measurement[] = [];
  for (const key in attributes) {
    if (!key.startsWith("browser.web_vital.")) continue;
    const name = key === REQUEST_TIME ? "ttfb.requestTime" : ATTRIBUTE.exec(key)?.[1];
    const value = attributes[key];
    if (name === undefined || typeof value !== "number" || value < 0) continue;
    found.push({ name, value, unit: name === "cls" ? "" : "millisecond" });
  }
  return found;
}
