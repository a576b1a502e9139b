import { otlpProfiles } from "./otlp/profiles/protocol.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "./otlp/protocols.ts";
import { pprof } from "./pprof/protocol.ts";
import { pyroscopePush } from "./pprof/pyroscope/protocol.ts";
import { prometheusWrite } from "./prometheus/protocol.ts";
import type { AnyProtocol } from "./protocol.ts";
import { sentryCrash } from "./sentry/crash_protocol.ts";
import { sentryCron } from "./sentry/cron_protocol.ts";
import { sentryEnvelope } from "./sentry/envelope_protocol.ts";
import { sentryNel, sentrySecurity } from "./sentry/report_protocols.ts";
import { sentryStore } from "./sentry/store_protocol.ts";

const PROTOCOLS: readonly AnyProtocol[] = [
  sentryEnvelope,
  sentryStore,
  sentrySecurity,
  sentryNel,
  sentryCron,
  sentryCrash,
  otlpTraces,
  otlpLogs,
  otlpMetrics,
  otlpProfiles,
  pprof,
  pyroscopePush,
  prometheusWrite,
];

/** The protocol of this name, which the spool kept. @throws {Error} when there is none */
export function protocolNamed(name: string): AnyProtocol {
  const found = PROTOCOLS.find((protocol) => protocol.name === name);
  if (found === undefined) throw new Error(`Cannot decode: there is no protocol "${name}"`);
  return found;
}
