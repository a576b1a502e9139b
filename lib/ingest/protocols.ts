import { otlpProfiles } from "./protocols/profiles_protocol.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "./protocols/protocols.ts";
import { pprof } from "./protocols/pprof_protocol.ts";
import { pyroscopePush } from "./protocols/pyroscope_protocol.ts";
import { prometheusWrite } from "./protocols/prometheus.ts";
import type { AnyProtocol } from "./protocol.ts";
import { sentryCrash } from "./protocols/crash_protocol.ts";
import { sentryCron } from "./protocols/cron_protocol.ts";
import { sentryEnvelope } from "./protocols/envelope_protocol.ts";
import { sentryNel, sentrySecurity } from "./protocols/report_protocols.ts";
import { sentryStore } from "./protocols/store_protocol.ts";

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
