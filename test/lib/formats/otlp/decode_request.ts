import type { DecodeContext } from "@/lib/formats/decode_context.ts";
import type { Protocol } from "@/lib/ingest/protocol.ts";
import { otlpLogs, otlpMetrics, otlpTraces } from "@/lib/ingest/protocols/otlp.ts";
import type { Batch, TelemetryRecord } from "@/lib/records/mod.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { assertStorable } from "../sentry/storable.ts";
import { RECEIVED_AT } from "./otlp_samples.ts";

/** Decodes a body with this protocol, as JSON unless `context` says otherwise. */
export function decodeWith(
  protocol: Protocol,
  body: Uint8Array | string,
  context: Partial<DecodeContext> = {},
): Batch {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return protocol.decode(
    bytes,
    decodeContext({ receivedAt: RECEIVED_AT, contentType: "application/json", ...context }),
  );
}

/** What an export request of traces turns into. */
export function decodeTraces(request: unknown, context: Partial<DecodeContext> = {}): Batch {
  return decodeWith(otlpTraces, JSON.stringify(request), context);
}

/** What an export request of logs turns into. */
export function decodeLogs(request: unknown, context: Partial<DecodeContext> = {}): Batch {
  return decodeWith(otlpLogs, JSON.stringify(request), context);
}

/** What an export request of metrics turns into. */
export function decodeMetrics(request: unknown, context: Partial<DecodeContext> = {}): Batch {
  return decodeWith(otlpMetrics, JSON.stringify(request), context);
}

/** The records of one kind. */
export function recordsOf<K extends TelemetryRecord["kind"]>(
  { records }: Batch,
  kind: K,
): Extract<TelemetryRecord, { kind: K }>[] {
  return records.filter((record) => record.kind === kind) as Extract<
    TelemetryRecord,
    { kind: K }
  >[];
}

/** All spans of a batch. */
export function spansOf(batch: Batch) {
  return recordsOf(batch, "spans").flatMap(({ spans }) => spans);
}

/** The only element of a list. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (list.length !== 1 || first === undefined) throw new Error(`${list.length} instead of 1`);
  return first;
}

/** Outcomes in words. */
export function outcomesOf({ outcomes }: Batch): string[] {
  return outcomes.map(({ category, kind, reason, quantity }) =>
    `${quantity} ${category} ${kind}/${reason}`
  );
}

/** That the store takes every record. */
export function assertAllStorable({ records }: Batch): void {
  for (const record of records) {
    // The span says it all.
    const isSpan = record.kind === "transaction" && record.payload === "";
    assertStorable(isSpan ? { ...record, payload: "{}" } : record);
  }
}
