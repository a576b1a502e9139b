import assert from "node:assert/strict";
import fc from "fast-check";
import { EnvelopeError, parseEnvelope } from "../../../../lib/intake/sentry/envelope.ts";
import { toErrorEvent } from "../../../../lib/intake/sentry/error_event.ts";
import { decodeItems } from "../../../../lib/intake/sentry/items.ts";
import { countOf } from "../../../../lib/telemetry/records.ts";
import { decodeContext } from "../../../support/decode_context.ts";
import { parseJson } from "../../../../lib/intake/sentry/json.ts";
import { readFixtures } from "./fixtures.ts";
import { sampleEvent } from "./sample_event.ts";
import { assertStorable } from "./storable.ts";
import { timeBudget } from "../../../support/time_budget.ts";

const context = decodeContext({
  receivedAt: new Date("2026-11-21T00:00:00Z"),
  clientAddress: "203.0.113.7",
  maxEventBytes: 20_000_000,
});
const MAX_MILLISECONDS = 100;

/** What a field may turn out to be. */
const oddText = fc.constantFrom(
  ...[
    "",
    "?",
    "...",
    "\0",
    "a\0b",
    "\ud800",
    "\udc00\ud800",
    "__proto__",
    "constructor",
    "toString",
  ],
  ...[
    "x".repeat(300),
    "é".repeat(9_000),
    "😀".repeat(200),
    "\u001b[31mred",
    "a\r\nb\n",
    "{{auto}}",
  ],
  ...[
    "{{ default }}",
    "{{ tags.x }}",
    "2026-11-20",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ],
  ...[
    "1767323045.678",
    "1e400",
    "NaN",
    "-5",
    "12",
    "warn",
    "%zz%41",
    "?a=1&a=2&b",
    "https://h/%?q#f",
  ],
  ...[
    "http://[::1",
    "a=b; c=%",
    "[1,2",
    '{"__proto__":{"a":1}}',
    "TypeError: x",
    "none",
    "transaction",
  ],
);
const oddNumber = fc.constantFrom(
  ...[0, -1, 1.5, 1e11, 1e14, 1e18, 1e30, 253402300800, 1767323045, 2 ** 53, 1e-7, 40],
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { maxDepth: 3, depthSize: "small" },
  fc.constantFrom(null, true, false, [], {}, [null], { values: null }, { values: [null] }),
  oddText,
  oddNumber,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom([["a", 1], ["a", null], [null, 2], "x", ["b", ["c", {}]]], { a: [1, { b: 2 }] }),
);

/** Every field name that any normaliser looks at, and some that none does. */
const fieldNames = fc.constantFrom(
  ...[
    "event_id",
    "timestamp",
    "level",
    "platform",
    "release",
    "environment",
    "message",
    "logentry",
  ],
  ...["exception", "stacktrace", "threads", "breadcrumbs", "tags", "user", "request", "contexts"],
  ...[
    "extra",
    "fingerprint",
    "checksum",
    "modules",
    "sdk",
    "debug_meta",
    "csp",
    "errors",
    "template",
  ],
  ...[
    "values",
    "frames",
    "mechanism",
    "type",
    "value",
    "module",
    "thread_id",
    "handled",
    "synthetic",
  ],
  ...[
    "exception_id",
    "parent_id",
    "is_exception_group",
    "function",
    "filename",
    "abs_path",
    "lineno",
  ],
  ...[
    "pre_context",
    "context_line",
    "in_app",
    "vars",
    "data",
    "headers",
    "cookies",
    "query_string",
  ],
  ...[
    "url",
    "method",
    "env",
    "id",
    "email",
    "ip_address",
    "trace",
    "trace_id",
    "span_id",
    "images",
  ],
  ...["formatted", "params", "crashed", "current", "category", "sentry.interfaces.Exception"],
  ...[
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toJSON",
    "length",
    "unknown",
    "a\0b",
    "\ud800",
  ],
);

interface Mutation {
  /** Which of the event's nodes is hit, as a fraction of their number. */
  readonly at: number;
  readonly kind: "replace" | "add" | "remove" | "repeat";
  readonly name: string;
  readonly value: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  kind: fc.constantFrom("replace", "replace", "add", "remove", "repeat"),
  name: fieldNames,
  value: oddValue,
});

type Container = Record<string, unknown> | unknown[];

/** All places in a JSON value that hold something, outermost first. */
function places(root: unknown): { container: Container; key: string }[] {
  const found: { container: Container; key: string }[] = [];
  const visit = (container: Container) => {
    for (const [key, child] of Object.entries(container)) {
      found.push({ container, key });
      if (typeof child === "object" && child !== null) visit(child as Container);
    }
  };
  visit(root as Container);
  return found;
}

function set(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function mutate(root: unknown, { at, kind, name, value }: Mutation): void {
  const all = places(root);
  const place = all[Math.floor(at * all.length)];
  if (!place) return;
  const { container, key } = place;
  const current = (container as Record<string, unknown>)[key];
  const copy = structuredClone(value); // the next mutation may hit it
  if (kind === "replace") set(container, key, copy);
  else if (kind === "remove") Reflect.deleteProperty(container, key);
  else if (kind === "repeat") set(container, key, new Array(repeats(current)).fill(current));
  else if (Array.isArray(container)) container.push(copy);
  else set(container, name, copy);
}

/** As many as make a large list, but not a larger event than is accepted. */
function repeats(value: unknown): number {
  const size = JSON.stringify(value ?? null).length;
  return Math.max(1, Math.min(300, Math.floor(100_000 / size)));
}

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

/** Whatever is sent is stored or counted, in bounded time; only a broken frame is refused. */
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
    if (!(error instanceof EnvelopeError)) throw error;
  }
}
