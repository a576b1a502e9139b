/** Labels of samples that name traces, by what tracers and profilers call them. */

const TRACE_LABELS: Readonly<Record<string, "trace_id" | "span_id" | "profile_id">> = {
  trace_id: "trace_id",
  traceid: "trace_id",
  otel_trace_id: "trace_id",
  otel_traceid: "trace_id",
  dd_trace_id: "trace_id",
  span_id: "span_id",
  spanid: "span_id",
  otel_span_id: "span_id",
  otel_spanid: "span_id",
  dd_span_id: "span_id",
  local_root_span_id: "span_id",
  profile_id: "profile_id",
  pyroscope_profile_id: "profile_id",
};

/** What pprof keeps for itself. */
const RESERVED_PREFIX = "pprof::";

const HEX_128 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{16}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DECIMAL = /^[0-9]{1,20}$/;
const ZEROS = /^0*$/;
const MAX_UINT64 = (1n << 64n) - 1n;

/**
 * What kind of id a label holds, whatever its spelling (`Trace-Id`, `local root span id`); null for other labels.
 * `profile_id` is an older name for the id of a span.
 */
export function traceLabelOf(key: string): "trace_id" | "span_id" | "profile_id" | null {
  const name = key.trim().toLowerCase().replace(/[\s.\-]+/g, "_");
  return Object.hasOwn(TRACE_LABELS, name) ? TRACE_LABELS[name] ?? null : null;
}

/** Whether pprof keeps labels of this name for itself: they say nothing of the program. */
export function isReservedLabel(key: string): boolean {
  return key.startsWith(RESERVED_PREFIX);
}

/**
 * The id of a trace as 32 lower-case hex digits: of 32 or 16 of them, of a UUID, of a decimal number of 64 bits, or
 * of a numeric label, which is signed. Null for what is none, and for zero.
 */
export function traceIdOf(value: string | bigint): string | null {
  if (typeof value !== "string") return padded(hex64(value), 32);
  const text = value.trim().toLowerCase();
  if (UUID.test(text)) return padded(text.replaceAll("-", ""), 32);
  if (HEX_128.test(text)) return padded(text, 32);
  return padded(hexOfText(text), 32);
}

/**
 * The id of a span as 16 lower-case hex digits: of 16 of them, of a decimal number of 64 bits, or of a numeric
 * label, which is signed. Null for what is none, and for zero.
 */
export function spanIdOf(value: string | bigint): string | null {
  if (typeof value !== "string") return padded(hex64(value), 16);
  return padded(hexOfText(value.trim().toLowerCase()), 16);
}

/** Sixteen digits are taken for hex: as decimals, one id in two thousand would have so many. */
function hexOfText(text: string): string {
  if (HEX_64.test(text)) return text;
  if (!DECIMAL.test(text)) return "";
  const number = BigInt(text);
  return number > MAX_UINT64 ? "" : hex64(number);
}

function hex64(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16);
}

function padded(hex: string, length: number): string | null {
  return ZEROS.test(hex) ? null : hex.padStart(length, "0");
}
