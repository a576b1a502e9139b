/** Two weeks of traces, and what the shop's services send of them, each by its own protocol. */
import { DAY_MS, MINUTE_MS } from "../lib/core/time.ts";
import { activity, newId, type Random } from "./chance.ts";
import { reconcile, visit } from "./doings.ts";
import { otlpRequests } from "./otlp.ts";
import { withProfile } from "./profiles.ts";
import { jobAt, place, RECENT_DAYS, type Scene, sceneAt, segmentsOf, type Trace } from "./scene.ts";
import type { Envelope, OtlpRequest } from "./send.ts";
import { type Fields, sentryPart } from "./sentry.ts";

/** The longest of all traces takes less. */
const LATEST_MS = 2 * MINUTE_MS;
const DAYS = 14;
/** Traces that were kept: of the last day, and of each day before it. */
const RECENT = 640;
const A_DAY = 80;

/** Two weeks of traces up to `now`, oldest first. Ids of traces are new at every call. */
export function history(random: Random, now: Date): Trace[] {
  const times = (count: number, from: number, to: number) =>
    Array.from({ length: count }, () => busyTime(random, now, from, to));
  const ago = [
    ...times(A_DAY * (DAYS - RECENT_DAYS), RECENT_DAYS * DAY_MS, DAYS * DAY_MS),
    ...times(RECENT, LATEST_MS, RECENT_DAYS * DAY_MS),
  ];
  const visits = ago.sort((a, b) => b - a).map((each) => sceneAt(random, now, each));
  const night = new Date(now.getTime() - LATEST_MS);
  if (night.getUTCHours() < 3) night.setUTCDate(night.getUTCDate() - 1);
  night.setUTCHours(3, 0, 0, 0);
  const job = jobAt(random, now, now.getTime() - night.getTime());
  const traceOf = (scene: Scene, work = visit(scene)): Trace => {
    return { traceId: newId(), scene, root: place(work, scene.at.getTime() / 1000, random) };
  };
  return [...visits.map((scene) => traceOf(scene)), traceOf(job, reconcile(job))];
}

/** How many milliseconds ago something happened, following the rhythm of the day. */
function busyTime(random: Random, now: Date, from: number, to: number): number {
  for (;;) {
    const ago = from + random.next() * (to - from);
    if (random.chance(activity(new Date(now.getTime() - ago)))) return ago;
  }
}

/** What the shop's services send of some traces. */
interface Telemetry {
  /** Of transactions. */
  readonly envelopes: readonly Envelope[];
  /** Events of errors that were thrown in the traces. */
  readonly errors: readonly Fields[];
  readonly requests: readonly OtlpRequest[];
}

export function telemetryOf(traces: readonly Trace[]): Telemetry {
  const { otlp = [], sentry = [] } = Object.groupBy(
    traces.flatMap((trace) => segmentsOf(trace)),
    ({ entry }) => entry.service === "orders" ? "otlp" : "sentry",
  );
  const sent = sentry.map((segment) => ({ segment, ...sentryPart(segment) }));
  return {
    envelopes: sent.map(({ envelope, segment }) => withProfile(envelope, segment)),
    errors: sent.flatMap(({ errors }) => errors),
    requests: otlpRequests(otlp),
  };
}
