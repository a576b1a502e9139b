import { withProfile } from "../profiles/payments.ts";
import { storefrontUploads } from "../profiles/storefront.ts";
import type { Upload } from "../profiles/upload.ts";
import type { Envelope } from "../send.ts";
import type { Random } from "../story.ts";
import { type OtlpPart, type OtlpRequest, otlpRequests } from "./otlp.ts";
import {
  jobAt,
  place,
  type Placed,
  RECENT_DAYS,
  type Scene,
  sceneAt,
  segmentsOf,
} from "./scene.ts";
import { sentryPart } from "./sentry.ts";
import { reconcile } from "./services.ts";
import { visit } from "./storefront.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The longest of all traces takes less. */
const LATEST_MS = 2 * MINUTE_MS;
const DAYS = 14;
/** Traces that were kept: of the last day, and of each day before it. */
const RECENT = 640;
const A_DAY = 80;
/** Hour of the day, UTC, at which most people come. */
const BUSIEST = 16;

/** Everything that happened in one trace. */
export interface Trace {
  readonly traceId: string;
  readonly scene: Scene;
  readonly root: Placed;
}

/** Two weeks of traces up to `now`, oldest first. Ids of traces are new at every call. */
export function history(random: Random, now: Date): Trace[] {
  const recent = times(random, now, RECENT, LATEST_MS, RECENT_DAYS * DAY_MS);
  const earlier = times(
    random,
    now,
    A_DAY * (DAYS - RECENT_DAYS),
    RECENT_DAYS * DAY_MS,
    DAYS * DAY_MS,
  );
  const visits = [...earlier, ...recent].sort((a, b) => b - a).map((ago) => {
    const scene = sceneAt(random, now, ago);
    return traceOf(scene, place(visit(scene), scene.at.getTime() / 1000, random));
  });
  return [...visits, nightly(random, now)];
}

/** How many milliseconds ago things happened, following the rhythm of the day. */
function times(random: Random, now: Date, count: number, from: number, to: number): number[] {
  return Array.from({ length: count }, () => {
    for (;;) {
      const ago = from + random.next() * (to - from);
      if (random.chance(activity(new Date(now.getTime() - ago)))) return ago;
    }
  });
}

/** How much is going on in the shop: between a sixth at night and 1. */
export function activity(at: Date): number {
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60;
  const wave = (1 + Math.cos(((hour - BUSIEST) / 24) * 2 * Math.PI)) / 2;
  const isWeekend = at.getUTCDay() % 6 === 0;
  return (0.16 + 0.84 * wave ** 1.5) * (isWeekend ? 0.75 : 1);
}

/** The job of the last night. */
function nightly(random: Random, now: Date): Trace {
  const night = new Date(now.getTime() - LATEST_MS);
  if (night.getUTCHours() < 3) night.setUTCDate(night.getUTCDate() - 1);
  night.setUTCHours(3, 0, 0, 0);
  const scene = jobAt(random, now, now.getTime() - night.getTime());
  return traceOf(scene, place(reconcile(scene), night.getTime() / 1000, random));
}

function traceOf(scene: Scene, root: Placed): Trace {
  return { traceId: crypto.randomUUID().replaceAll("-", ""), scene, root };
}

/** What the services of the shop send of two weeks of traces, each by its own protocol. */
interface Telemetry {
  /** Of transactions. */
  readonly envelopes: readonly Envelope[];
  /** Events of errors that were thrown in the traces. */
  readonly errors: readonly Record<string, unknown>[];
  readonly requests: readonly OtlpRequest[];
}

/** The same with profiles that are uploaded, some of them of these traces. */
interface ProfiledTelemetry extends Telemetry {
  readonly profiles: readonly Upload[];
  readonly traces: readonly Trace[];
}

/** Everything that the traces of two weeks up to `now` make the shop's services send. */
export function tracesOfTwoWeeks(random: Random, now: Date): ProfiledTelemetry {
  const traces = history(random, now);
  return { ...telemetryOf(traces), traces, profiles: storefrontUploads(random, now, traces) };
}

/** What the services send of these traces. */
export function telemetryOf(traces: readonly Trace[]): Telemetry {
  const parts = traces.flatMap((trace) =>
    segmentsOf(trace.root).map((segment): OtlpPart => ({ trace, segment }))
  );
  const { otlp = [], sentry = [] } = Object.groupBy(
    parts,
    ({ segment }) => segment.entry.service === "orders" ? "otlp" : "sentry",
  );
  const sent = sentry.map(({ trace, segment }) =>
    withProfile(sentryPart(trace, segment), trace, segment)
  );
  return {
    envelopes: sent.map(({ transaction }) => transaction),
    errors: sent.flatMap(({ errors }) => errors),
    requests: otlpRequests(otlp),
  };
}
