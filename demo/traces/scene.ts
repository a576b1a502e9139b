import type { Random } from "../story.ts";
import { type Environment, releaseOf, type ServiceName } from "./services.ts";

/** A share of traces that clients keep, with the threshold that stands for it in a `tracestate`. */
interface Sampling {
  readonly rate: number;
  readonly threshold: string;
}

/** When and where something happens in the shop, and to whom. */
export interface Scene {
  readonly random: Random;
  readonly at: Date;
  readonly environment: Environment;
  /** Number of the person who visits, or null for jobs. */
  readonly person: number | null;
  readonly sampling: Sampling;
  /** The release of a service at this time. */
  release(service: ServiceName): string;
}

const DAY_MS = 86_400_000;
const PEOPLE = 400;
const STAGING = 0.12;
/** Of the tail that is looked at most, SDKs keep half, of what was before one in sixteen. */
const RECENT: Sampling = { rate: 1 / 2, threshold: "8" };
const EARLIER: Sampling = { rate: 1 / 16, threshold: "f" };
/** Days ago that the SDKs began to keep more. */
export const RECENT_DAYS = 1;

/** A visit so many milliseconds before `now`. */
export function sceneAt(random: Random, now: Date, agoMs: number): Scene {
  const daysAgo = agoMs / DAY_MS;
  const environment = random.chance(STAGING) ? "staging" : "production";
  return {
    random,
    at: new Date(now.getTime() - agoMs),
    environment,
    person: random.integer(1, PEOPLE),
    sampling: daysAgo <= RECENT_DAYS ? RECENT : EARLIER,
    release: (service) => releaseOf(service, environment, daysAgo),
  };
}

/** A job in production so many milliseconds before `now`: jobs are always kept. */
export function jobAt(random: Random, now: Date, agoMs: number): Scene {
  return {
    random,
    at: new Date(now.getTime() - agoMs),
    environment: "production",
    person: null,
    sampling: { rate: 1, threshold: "0" },
    release: (service) => releaseOf(service, "production", agoMs / DAY_MS),
  };
}

/** Work with its place in time and in the trace. */
export interface Placed {
  readonly work: Work;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** In seconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Placed[];
}

/**
 * Lays out work and all its parts along time.
 *
 * @param start in seconds since 1970
 */
export function place(
  work: Work,
  start: number,
  random: Random,
  parentSpanId: string | null = null,
): Placed {
  const spanId = random.hex(16);
  const parts = work.parts ?? [];
  const awaited = parts.filter(({ laterMs }) => laterMs === undefined);
  const gap = work.ms / 1000 / (awaited.length + 1);
  let free = start;
  let end = start + work.ms / 1000;
  const placed = awaited.map((part) => {
    const begin = work.isParallel ? start + random.next() * gap : free + gap;
    const done = place(part, begin, random, spanId);
    free = done.end;
    end = work.isParallel ? Math.max(end, done.end + gap / 4) : done.end + gap;
    return done;
  });
  const later = parts.filter(({ laterMs }) => laterMs !== undefined).map((part) =>
    place(part, end + (part.laterMs ?? 0) / 1000, random, spanId)
  );
  return { work, spanId, parentSpanId, start, end, parts: [...placed, ...later] };
}

/** What one service does in a trace in one go: a transaction with its spans. */
export interface Segment {
  readonly entry: Entry;
  readonly root: Placed;
  /** Those below the root. */
  readonly spans: readonly Placed[];
}

/** Cuts a trace where services take over. @param root one with an entry */
export function segmentsOf(root: Placed): Segment[] {
  const { entry } = root.work;
  if (entry === undefined) throw new TypeError(`No service begins with "${root.work.name}"`);
  const spans: Placed[] = [];
  const others: Placed[] = [];
  const collect = ({ parts }: Placed) => {
    for (const part of parts) {
      if (part.work.entry !== undefined) others.push(part);
      else {
        spans.push(part);
        collect(part);
      }
    }
  };
  collect(root);
  return [{ entry, root, spans }, ...others.flatMap(segmentsOf)];
}

/** What is logged during work, with the time in seconds since 1970: from its beginning to its end. */
export function linesOf({ work, start, end }: Placed): (LogLine & { readonly time: number })[] {
  const lines = work.logs ?? [];
  return lines.map((line, index) => {
    const share = lines.length === 1 ? 1 : index / (lines.length - 1);
    return { ...line, time: start + (end - start) * share };
  });
}

export type Attribute = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, Attribute>>;

/** Something that the shop does, with what it waits for: a span, or a transaction where a service begins. */
export interface Work {
  /** As the SDK of the service that does it would put it. */
  readonly name: string;
  /** As Sentry's SDKs name it; OpenTelemetry tells by `kind` and attributes. */
  readonly op?: string;
  /** @default "internal" */
  readonly kind?: SpanKind;
  /** Time of its own in milliseconds: before, between and after its parts. */
  readonly ms: number;
  readonly parts?: readonly Work[];
  /** All parts begin in its own time, none waits for another. @default false */
  readonly isParallel?: boolean;
  /** It begins so many milliseconds after its parent has ended, which does not wait for it. */
  readonly laterMs?: number;
  readonly data?: Attributes;
  /** As `internal_error`. @default "ok" */
  readonly status?: string;
  readonly thrown?: Thrown;
  readonly logs?: readonly LogLine[];
  /** Present where a service takes over. */
  readonly entry?: Entry;
}

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Where a service begins to work on something. */
interface Entry {
  readonly service: ServiceName;
  /** Host or process. */
  readonly server: string;
  readonly http?: Served;
  /** Of a page, in milliseconds but for `cls`. */
  readonly vitals?: Readonly<Record<string, number>>;
}

/** An HTTP request as its server sees it. */
export interface Served {
  readonly method: string;
  readonly route: string;
  readonly url: string;
  readonly status: number;
}

/** An exception, outermost frame first. */
export interface Thrown {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly Frame[];
}

export interface Frame {
  readonly module: string;
  readonly filename: string;
  readonly function: string;
  readonly line: number;
  readonly code?: string;
  /** Not of the shop's own code. @default false */
  readonly isForeign?: boolean;
}

export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly body: string;
  readonly data?: Attributes;
}
