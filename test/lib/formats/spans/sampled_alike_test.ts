import assert from "node:assert/strict";
import { otlpTraces } from "@/lib/ingest/protocols/otlp.ts";
import { sample } from "@/lib/ingest/admit.ts";
import type { Batch } from "@/lib/records/mod.ts";
import { decodeTraces } from "../otlp/decode_request.ts";
import { nanosAt, serverSpan, traces } from "../otlp/otlp_samples.ts";
import { decodeItem, NOW } from "../sentry/decode_item.ts";

const RATE = 0.3;
const TRACES = Array.from({ length: 300 }, () => crypto.randomUUID());
const SPAN = "aaaaaaaaaaaaaaaa";
const TIMES = { start_timestamp: NOW - 2, end_timestamp: NOW - 1, timestamp: NOW - 1 };

const hexOf = (uuid: string) => uuid.replaceAll("-", "");

/** One trace as every protocol tells of it, ids in whichever form its clients write. */
const SENT: Readonly<Record<string, (uuid: string) => Batch>> = {
  "OTLP": (uuid) =>
    decodeTraces(traces([
      serverSpan({ traceId: hexOf(uuid) }),
      serverSpan({ traceId: hexOf(uuid), spanId: SPAN, parentSpanId: "bbbbbbbbbbbbbbbb", kind: 1 }),
    ])),
  "OTLP in capitals": (uuid) =>
    decodeTraces(traces([
      serverSpan({ traceId: hexOf(uuid).toUpperCase(), endTimeUnixNano: nanosAt(9) }),
    ])),
  "a transaction": (uuid) =>
    decodeItem("transaction", {
      ...TIMES,
      type: "transaction",
      transaction: "GET /",
      contexts: { trace: { trace_id: uuid, span_id: SPAN } },
      spans: [{ ...TIMES, span_id: "cccccccccccccccc" }],
    }),
  "streamed spans": (uuid) =>
    decodeItem("span", {
      items: [
        { ...TIMES, trace_id: hexOf(uuid), span_id: SPAN, name: "GET", is_segment: true },
        { ...TIMES, trace_id: hexOf(uuid), span_id: "cccccccccccccccc", name: "work" },
      ],
    }, { header: { content_type: "application/vnd.sentry.items.span.v2+json" } }),
  "a span alone": (uuid) => decodeItem("span", { ...TIMES, trace_id: uuid, span_id: SPAN }),
};

Deno.test("a rate keeps or drops a trace as a whole, whichever protocol and client tells of it", () => {
  const kept = TRACES.map((uuid) => {
    const verdicts = Object.entries(SENT).map(([how, decode]) => {
      const whole = decode(uuid);
      assert.ok(whole.records.length > 0, how);
      const { records, outcomes } = sample(whole, RATE);
      assert.ok(records.length === 0 || records.length === whole.records.length, how);
      assert.equal(outcomes.every(({ kind }) => kind === "sampled"), true, how);
      return records.length > 0;
    });
    assert.equal(new Set(verdicts).size, 1, uuid);
    return verdicts[0];
  });
  const share = kept.filter((isKept) => isKept).length / TRACES.length;
  assert.ok(Math.abs(share - RATE) < 0.12, String(share));
});

Deno.test("what is sampled away is no reason for an exporter to complain", async () => {
  const batch = sample(decodeTraces(traces([serverSpan()])), 0);
  const req = new Request("http://localhost/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  const reply = otlpTraces.reply(batch, req);
  assert.equal(reply.status, 200);
  assert.equal(await reply.text(), "{}");
});
