/** What programs send, with one place of it that says what no store or calendar takes. */
import assert from "node:assert/strict";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { ITEM_SAMPLES, SAMPLES_SENT_AT } from "@/test/support/fuzz/item_samples.ts";
import {
  assertAllAmong,
  chunks,
  newId,
  pagesAnswer,
  senders,
  type Sent,
} from "@/test/support/hostile_senders.ts";
import { FIELD_TEXTS, longText } from "@/test/support/hostile_values.ts";
import { pprofGzip } from "@/test/support/pprof.ts";
import { changedTexts } from "@/test/support/sample_body.ts";
import { AT, OTLP_LOGS, OTLP_METRICS, OTLP_SPANS } from "@/test/support/transferred.ts";

/** Of one request; of long ones fewer fit. */
const ITEMS = 40;
const LONG_ITEMS = 4;
const LONG = JSON.stringify(longText(200_000));

/** Under an id of its own, now: what is stored already, or too old, would not be looked at. */
function fresh(text: string, id = newId()): string {
  return text.replaceAll(/(?<=")[0-9a-f]{32}(?=")/g, id)
    .replaceAll(/(?<="[0-9a-f])[0-9a-f]{15}(?=")/g, id.slice(17))
    .replaceAll(String(SAMPLES_SENT_AT), String(AT))
    .replaceAll(/2026-11-20T00:00:0(?=\dZ")/g, new Date(AT * 1_000).toISOString().slice(0, 18));
}

/** Sends items in envelopes that have a good event behind them. @param items lines of header and payload */
async function sendItems(
  { post, good, projectId }: Sent,
  items: readonly (readonly string[])[],
  size: number,
): Promise<void> {
  for (const some of chunks(items, size)) {
    const { eventId, body } = errorEnvelope();
    good.push(eventId);
    const [head = "", ...event] = body.split("\n");
    await post(`/api/${projectId}/envelope/`, [head, ...some.flat(), ...event].join("\n"));
  }
}

Deno.test("whatever any place of an item says, the items beside it are stored, and pages show what is", async (t) => {
  await using sent = await senders();
  for (const [place, { header, payload }] of ITEM_SAMPLES.entries()) {
    await t.step(`${place}: ${header.type}`, async () => {
      const { item_count: _, ...head } = header;
      const withHead = (text: string) => [JSON.stringify(head), fresh(text)];
      const items = FIELD_TEXTS.flatMap((value) => [
        ...[...changedTexts(payload, value)].map(withHead),
        // What is no header ends the envelope, so that nothing can be behind it.
        ...[header, head].flatMap((each) => [...changedTexts(each, value)].slice(1))
          .map((text) => [text, fresh(JSON.stringify(payload))]),
      ]);
      await sendItems(sent, items, ITEMS);
      await sendItems(sent, [...changedTexts(payload, LONG)].map(withHead), LONG_ITEMS);
    });
  }
  await t.step("what is beside it", async () => {
    const rows = await sent.app.services.sql<{ id: string }[]>`
      select replace(event_id::text, '-', '') as id from events where project_id = ${sent.projectId}
    `;
    assertAllAmong(sent, rows);
  });
  await t.step("pages", () => pagesAnswer(sent));
});

/** A value of OpenTelemetry that is an object of which no text and no number can be made. */
const NO_TEXT = JSON.stringify({
  kvlistValue: {
    values: ["toString", "valueOf"].map((key) => ({ key, value: { intValue: "1" } })),
  },
});

/** Requests of OpenTelemetry, with the list that what is sent is in. */
const OTLP = [
  { path: "/v1/traces", list: "resourceSpans", request: OTLP_SPANS },
  { path: "/v1/logs", list: "resourceLogs", request: OTLP_LOGS },
  { path: "/v1/metrics", list: "resourceMetrics", request: OTLP_METRICS },
] as const;

Deno.test("whatever any place of OTLP says, what is beside it is taken, and pages show what is stored", async (t) => {
  await using sent = await senders();
  // A request that is no JSON is refused whole.
  const values = [...FIELD_TEXTS.filter((text) => text !== "NaN"), NO_TEXT, LONG];
  for (const { path, list, request } of OTLP) {
    await t.step(path, async () => {
      const [element] = Object.values(request)[0];
      for (const value of values) {
        const texts = [...changedTexts(element, value)].map((text) => fresh(text));
        for (const some of chunks(texts, value === LONG ? LONG_ITEMS : ITEMS)) {
          const id = newId();
          if (path === "/v1/traces") sent.good.push(id);
          const body = `{"${list}":[${[fresh(JSON.stringify(element), id), ...some].join()}]}`;
          assert.equal(await sent.post(path, body), 200, value.slice(0, 100));
        }
        await sent.post(path, `{"${list}":${value}}`);
      }
    });
  }
  await t.step("what is beside it", async () => {
    const rows = await sent.app.services.sql<{ id: string }[]>`
      select replace(trace_id::text, '-', '') as id from span_batches
      where project_id = ${sent.projectId}
    `;
    assertAllAmong(sent, rows);
  });
  await t.step("pages", () => pagesAnswer(sent));
});

const TEXTS = [
  ...["", "a\0b", "\ud800", "__proto__", "9".repeat(25), longText(200_000), "profile_id"],
];
const NUMBERS = [-1n, 0n, 2n ** 62n, -(2n ** 63n)];
/** Of an address. */
const LABEL_LENGTH = 20_000;

Deno.test("whatever labels and times of a pprof profile say, it ends in no error of ours, and pages show what is stored", async (t) => {
  await using sent = await senders();
  const stack = ["main.main"];
  const values = [3n, 30_000_000n];
  const post = (body: Uint8Array<ArrayBuffer>, search = "") => {
    const address = `/api/v1/profiles/pprof?service=shop${search}`;
    return sent.post(address, body, "application/octet-stream");
  };
  for (const key of TEXTS) {
    for (const text of TEXTS) {
      await post(pprofGzip([{ stack: [text, key], values, labels: [{ key, text }] }]));
      const label = `${key || "a"}=${text}`.toWellFormed().slice(0, LABEL_LENGTH);
      await post(pprofGzip(), `&labels=${encodeURIComponent(label)}`);
    }
    for (const number of NUMBERS) {
      await post(pprofGzip([{ stack, values, labels: [{ key, number, unit: key }] }]));
    }
  }
  for (const number of NUMBERS) {
    await post(pprofGzip(undefined, { timeNanos: number }));
    await post(pprofGzip(undefined, { durationNanos: number, period: number }));
    await post(pprofGzip([{ stack, values: [number, number] }]));
  }
  await t.step("pages", () => pagesAnswer(sent));
});
