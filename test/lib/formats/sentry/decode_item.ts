import assert from "node:assert/strict";
import type { DecodeContext } from "@/lib/formats/decode_context.ts";
import type { Batch, TelemetryRecord } from "@/lib/records/mod.ts";
import { decodeEnvelopeBytes } from "@/test/support/decode_events.ts";

export const RECEIVED_AT = new Date("2026-11-21T00:20:00Z");
/** The same in seconds. */
export const NOW = RECEIVED_AT.getTime() / 1000;
export const ID = "0123456789abcdef0123456789abcdef";
export const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";

interface Sent {
  readonly header?: Record<string, unknown>;
  readonly envelope?: Record<string, unknown>;
}

/** What an envelope with one item of this type and payload turns into. */
export function decodeItem(
  type: string,
  payload: unknown,
  { header = {}, envelope = {} }: Sent = {},
  context: Partial<DecodeContext> = {},
): Batch {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const bytes = new TextEncoder().encode(
    `${JSON.stringify(envelope)}\n${JSON.stringify({ type, ...header })}\n${body}`,
  );
  return decodeEnvelopeBytes(bytes, { receivedAt: RECEIVED_AT, ...context });
}

/** The only record of a batch, which must be of this kind. */
export function only<K extends TelemetryRecord["kind"]>(
  { records, outcomes }: Batch,
  kind: K,
): Extract<TelemetryRecord, { kind: K }> {
  assert.deepEqual(outcomes, []);
  assert.deepEqual(records.map((record) => record.kind), [kind]);
  return records[0] as Extract<TelemetryRecord, { kind: K }>;
}

/** Why a batch without records has none. */
export function reasons({ records, outcomes }: Batch): string[] {
  assert.deepEqual(records, []);
  return outcomes.map(({ category, kind, reason, quantity }) =>
    `${quantity} ${category} ${kind}/${reason}`
  );
}
