/** Work in a trace: what it is, where in time it lies, and which services share it. */
import { DAY_MS } from "../lib/core/time.ts";
import type { Random } from "./chance.ts";
import { type Environment, releaseOf, type ServiceName } from "./shop.ts";

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

const PEOPLE = 400;
const ALL: Sampling = { rate: 1, threshold: "0" };
/** Of the tail that is looked at most, SDKs keep half, of what was before one in sixteen. */
const RECENT: Sampling = { rate: 1 / 2, threshold: "8" };
const EARLIER: Sampling = { rate: 1 / 16, threshold: "f" };
/** Days ago that the SDKs began to keep more. */
export const RECENT_DAYS = 1;

/** Something that happens to a person, so many milliseconds before `now`. */
export function sceneAt(
  random: Random,
  now: Date,
  agoMs: number,
  environment: Environment = random.chance(0.12) ? "staging" : "production",
): Scene {
  const daysAgo = agoMs / DAY_MS;
  return {
    random,
    at: new Date(now.getTime() - agoMs),
    environment,
    person: random.integer(1, PEOPLE),
    sampling: daysAgo <= RECENT_DAYS ? RECENT : EARLIER,
    release: (service) => releaseOf(service, environment, daysAgo),
  };
}

/** A job in production: jobs are always kept. */
export function jobAt(random: Random, now: Date, agoMs: number): Scene {
  return { ...sceneAt(random, now, agoMs, "production"), person: null, sampling: ALL };
}

export type Attribute = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, Attribute>>;

/** Something that the shop does, with what it waits for: a span, or a transaction where a service begins. */
export interface Work {
  /** As Sentry's SDKs call this kind of work, as `db`. */
  readonly op: string;
  /** A statement, an address, a key, a route. */
  readonly name: string;
  /** Median of the time of its own in milliseconds: before, between and after its parts. */
  readonly ms: number;
  /** Of that time, as of `Random.around()`. */
  readonly spread?: number;
  readonly parts?: readonly Work[];
  /** All parts begin in its own time, none waits for another. @default false */
  readonly isParallel?: boolean;
  /** It begins about so many milliseconds after its parent has ended, which does not wait for it. */
  readonly laterMs?: number;
  readonly data?: Attributes;
  /** As `internal_error`. @default "ok" */
  readonly status?: string;
  /** An error in the language of `errors()`. */
  readonly thrown?: string;
  readonly logs?: readonly LogLine[];
  /** Present where a service takes over. */
  readonly entry?: Entry;
}

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

export type LogLine = readonly [level: "info" | "warn" | "error", body: string, data?: Attributes];

/** A request to somebody, and what they do if they are of the shop. */
export function http(
  { method, url, status }: Omit<Served, "route">,
  ms: number,
  more: Partial<Work> = {},
): Work {
  return {
    op: "http.client",
    name: `${method} ${url}`,
    ms,
    data: {
      "http.request.method": method,
      "url.full": url,
      "server.address": new URL(url).host,
      "http.response.status_code": status,
    },
    status: status >= 400 ? "internal_error" : "ok",
    ...more,
  };
}

/** A request that another service answers: the time on the wire around its own. */
export function ask(served: Work, ms: number): Work {
  if (served.entry?.http === undefined) throw new TypeError(`${served.name} is no endpoint`);
  return http(served.entry.http, ms, { parts: [served] });
}

/** A request that one of the shop's services answers. */
export function answer(
  service: ServiceName,
  server: string,
  http: Served,
  work: Partial<Work> & Pick<Work, "ms">,
): Work {
  const { method, route, url, status } = http;
  return {
    op: "http.server",
    name: `${method} ${route}`,
    ...work,
    data: {
      "http.request.method": method,
      "http.route": route,
      "http.response.status_code": status,
      "url.full": url,
      "url.path": new URL(url).pathname,
      ...work.data,
    },
    status: status >= 500 ? "internal_error" : "ok",
    entry: { service, server, http },
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
  const { awaited = [], later = [] } = Object.groupBy(
    work.parts ?? [],
    ({ laterMs }) => laterMs === undefined ? "awaited" : "later",
  );
  const own = random.around(work.ms, work.spread) / 1000;
  const gap = own / (awaited.length + 1);
  let free = start;
  let end = start + own;
  const placed = awaited.map((part) => {
    const begin = work.isParallel ? start + random.next() * gap : free + gap;
    const done = place(part, begin, random, spanId);
    free = done.end;
    end = work.isParallel ? Math.max(end, done.end + gap / 4) : done.end + gap;
    return done;
  });
  const after = later.map((part) =>
    place(part, end + random.around(part.laterMs ?? 0, 0.6) / 1000, random, spanId)
  );
  return { work, spanId, parentSpanId, start, end, parts: [...placed, ...after] };
}

/** Everything that happened in one trace. */
export interface Trace {
  readonly traceId: string;
  readonly scene: Scene;
  readonly root: Placed;
}

/** What one service does in a trace in one go: a transaction with its spans. */
export interface Segment {
  readonly trace: Trace;
  readonly entry: Entry;
  readonly root: Placed;
  /** Those below the root. */
  readonly spans: readonly Placed[];
}

/** Cuts a trace where services take over. @param root where to begin, one with an entry */
export function segmentsOf(trace: Trace, root: Placed = trace.root): Segment[] {
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
  return [
    { trace, entry, root, spans },
    ...others.flatMap((other) => segmentsOf(trace, other)),
  ];
}

/** What a service did in production. */
export function servedBy(service: ServiceName, traces: readonly Trace[]): Segment[] {
  return traces.filter(({ scene }) => scene.environment === "production")
    .flatMap((trace) => segmentsOf(trace)).filter(({ entry }) => entry.service === service);
}

/** What is logged during work, with the time in seconds since 1970: from its beginning to its end. */
export function linesOf({ work: { logs = [] }, start, end }: Placed) {
  return logs.map(([level, body, data = {}], index) => {
    const share = logs.length === 1 ? 1 : index / (logs.length - 1);
    return { level, body, data, time: start + (end - start) * share };
  });
}
