import { numberIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";

/** OpenTelemetry's member of a `tracestate`: `other=1,ot=th:8;rv:…`. */
const MEMBER = /(?:^|,)\s{0,9}ot=([^,]{1,256})/;
/** The threshold below which traces are dropped, as the leading hex digits of 56 bits. */
const THRESHOLD = /(?:^|;)th:([\da-f]{1,14})(?:;|$)/;
/** The older form: a power of two. 63 stands for never. */
const POWER = /(?:^|;)p:(\d{1,2})(?:;|$)/;
const NEVER = 63;

/**
 * The share of traces that a client kept, as a span says: 0 < rate <= 1; 1 when it says nothing.
 *
 * @param traceState the span's `tracestate`
 * @param attributes of the span, where samplers leave probabilities and weights
 */
export function sampleRateOf(traceState: string, attributes: JsonObject): number {
  return inTraceState(traceState) ?? inAttributes(attributes) ?? 1;
}

function inTraceState(traceState: string): number | null {
  const [, member = ""] = MEMBER.exec(traceState) ?? [];
  const [, threshold] = THRESHOLD.exec(member) ?? [];
  if (threshold !== undefined) return shareOf(1 - parseInt(threshold, 16) / 16 ** threshold.length);
  const [, power] = POWER.exec(member) ?? [];
  return power === undefined || Number(power) >= NEVER ? null : 2 ** -Number(power);
}

/** Above 1 it is a weight: one in so many was kept. */
function inAttributes(attributes: JsonObject): number | null {
  const number = numberIn(attributes, "sampling.probability", "sampling.rate", "SampleRate");
  if (number === null) return null;
  return shareOf(number > 1 ? 1 / number : number);
}

function shareOf(rate: number): number | null {
  return rate > 0 && rate <= 1 ? rate : null;
}
