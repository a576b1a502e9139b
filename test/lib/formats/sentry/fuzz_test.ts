import assert from "node:assert/strict";
import fc from "fast-check";
import { Refusal } from "@/lib/core/refusal.ts";
import { EnvelopeError, parseEnvelope } from "@/lib/formats/sentry/envelope.ts";
import { toErrorEvent } from "@/lib/formats/sentry/error_event.ts";
import { decodeItems } from "@/lib/formats/sentry/items.ts";
import { countOf } from "@/lib/records/mod.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { parseJson } from "@/lib/formats/json.ts";
import { readFixtures } from "./fixtures.ts";
import { sampleEvent } from "./sample_event.ts";
import { assertStorable } from "./storable.ts";
import { changedItem } from "@/test/support/fuzz/broken_requests.ts";
import { fieldNames, mutate, mutation, oddValue } from "@/test/support/fuzz/mutate.ts";
import { timeBudget } from "@/test/support/time_budget.ts";

const context = decodeContext({
  receivedAt: new Date("2026-11-21T00:00:00Z"),
  clientAddress: "203.0.113.7",
  maxEventBytes: 20_000_000,
});
const MAX_MILLISECONDS = 100;

const events = [sampleEvent(), ...readFixtures().map(({ event }) => event)]
  .map((event) => JSON.stringify(event));

Deno.test("decodeItems() makes something storable of any mangled event", () => {
  const anEvent = fc.nat({ max: events.length - 1 });
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(anEvent, mutations, (index, mutations) => {
      const event = JSON.parse(events[index] ?? "");
      for (const each of mutations) mutate(event, each);
      assertDecodes(new TextEncoder().encode(`{}\n{"type":"event"}\n${JSON.stringify(event)}`));
    }),
    { numRuns: 4_000 },
  );
});

Deno.test("decodeItems() makes something storable of any item that was changed", () => {
  fc.assert(
    fc.property(fc.array(changedItem, { minLength: 1, maxLength: 3 }), (items) => {
      assertDecodes(new TextEncoder().encode(["{}", ...items.flat()].join("\n")));
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("toErrorEvent() makes something storable of any JSON", () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fieldNames, oddValue), fc.jsonValue()), (value) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      const record = toErrorEvent(parseJson(bytes), { ...context, sentAt: null });
      if ("dropped" in record) assert.equal(record.dropped.quantity, 1);
      else assertStorable(record);
    }),
    { numRuns: 12_000 },
  );
});

const pieces = fc.constantFrom(
  ...["{}", "{}\n", "\n", "\r\n", "\n\n", "\ufeff", "\0", "null", "[]", '{"event_id":null}', "{"],
  ...['{"type":"event"}\n', '{"type":"event","length":2}\n', '{"type":"event","length":999}\n'],
  ...[
    '{"type":"event","length":-1}\n',
    '{"type":"event","length":"2"}\n',
    '{"type":1}\n',
    '{"length":3}\n',
  ],
  ...[
    '{"type":"attachment","length":3}\n',
    "a\nb",
    '{"type":"log","item_count":1e9}\n',
    '{"type":""}\n',
  ],
  ...[
    '{"message":"x"}\n',
    '{"message":"\\u0000é"}\n',
    '{"event_id":"x","dsn":1,"sent_at":"later"}\n',
  ],
);

Deno.test("parseEnvelope() reads any framing, or says that it is none", () => {
  const framing = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(framing, (text) => assertDecodes(new TextEncoder().encode(text))),
    { numRuns: 15_000 },
  );
});

Deno.test("parseEnvelope() reads envelopes with any bytes broken", () => {
  const sources = readFixtures().map(({ bytes }) => bytes);
  const damage = fc.record({
    source: fc.constantFrom(...sources),
    cutAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    bytes: fc.array(
      fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })),
    ),
  });
  fc.assert(
    fc.property(damage, ({ source, cutAt, bytes }) => {
      const broken = source.slice(0, cutAt === null ? source.length : cutAt * source.length);
      for (const [at, byte] of bytes) broken[Math.floor(at * broken.length)] = byte;
      assertDecodes(broken);
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("parseEnvelope() reads bytes of no sense at all", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), assertDecodes),
    { numRuns: 5_000 },
  );
});

/** Whatever is sent is stored or counted, in bounded time; only a broken frame and too much are refused. */
function assertDecodes(bytes: Uint8Array): void {
  const start = performance.now();
  decode(bytes);
  if (performance.now() - start < MAX_MILLISECONDS) return;
  const again = performance.now(); // the machine may have been busy with something else
  decode(bytes);
  assert.ok(performance.now() - again < timeBudget(MAX_MILLISECONDS));
}

function decode(bytes: Uint8Array): void {
  try {
    const envelope = parseEnvelope(bytes);
    const { records, outcomes } = decodeItems(envelope, context);
    for (const record of records) assertStorable(record);
    const counted = [...outcomes, ...records.map(countOf)]
      .reduce((sum, { quantity }) => sum + quantity, 0);
    assert.ok(counted >= envelope.items.length + envelope.lost);
  } catch (error) {
    const isTooLarge = error instanceof Refusal && error.status === 413;
    if (!isTooLarge && !(error instanceof EnvelopeError)) throw error;
  }
}
