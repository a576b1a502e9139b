import type { Envelope } from "../envelope.ts";
import type { Random } from "../random.ts";
import { withProfile } from "../profiles/payments.ts";
import { storefrontUploads } from "../profiles/storefront.ts";
import type { Upload } from "../profiles/upload.ts";
import { history, type Trace } from "./history.ts";
import { type OtlpPart, type OtlpRequest, otlpRequests } from "./otlp_trace.ts";
import { sentryPart } from "./sentry_trace.ts";
import { segmentsOf } from "./placed.ts";

/** What the services of the shop send of two weeks of traces, each by its own protocol. */
export interface Telemetry {
  /** Of transactions. */
  readonly envelopes: readonly Envelope[];
  /** Events of errors that were thrown in the traces. */
  readonly errors: readonly Record<string, unknown>[];
  readonly requests: readonly OtlpRequest[];
}

/** The same with profiles that are uploaded, some of them of these traces. */
export interface ProfiledTelemetry extends Telemetry {
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
