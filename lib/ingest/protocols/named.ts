import type { AnyProtocol } from "../protocol.ts";
import { otlpLogs, otlpMetrics, otlpProfiles, otlpTraces } from "./otlp.ts";
import { pprof } from "./pprof.ts";
import { prometheusWrite } from "./prometheus.ts";
import { pyroscopePush } from "./pyroscope.ts";
import {
  sentryCrash,
  sentryCron,
  sentryEnvelope,
  sentryNel,
  sentrySecurity,
  sentryStore,
} from "./sentry.ts";

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
