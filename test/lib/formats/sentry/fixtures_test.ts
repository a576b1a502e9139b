import assert from "node:assert/strict";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { decodeEnvelopeBytes, errorsIn } from "@/test/support/decode_events.ts";
import { recorded } from "./decode.ts";
import { type Fixture, readFixture, readFixtures } from "./fixtures.ts";
import { assertStorable } from "./storable.ts";

const RECEIVED_AT = new Date("2026-11-21T00:20:00Z");
const CLIENT_ADDRESS = "203.0.113.7";

function decode({ bytes }: Fixture): ErrorEvent {
  const context = { receivedAt: RECEIVED_AT, clientAddress: CLIENT_ADDRESS };
  assert.deepEqual(decodeEnvelopeBytes(bytes, context).outcomes, []);
  const [record, ...others] = errorsIn(bytes, context);
  assert.ok(record && others.length === 0);
  return record;
}

/** As the issue list shows it. */
function summary(record: ErrorEvent): string {
  return [record.type, record.level, record.title, record.culprit].join(" | ");
}

const SUMMARIES: Record<string, string> = {
  "browser-11.12.0/error":
    "error | error | CheckoutError: Cannot check out order 4711 | checkout(/assets/main.js)",
  "browser-11.12.0/message":
    "default | warning | Stock of 12 items is below 20 | https://shop.example.com/shop.html",
  "browser-11.12.0/minified":
    "error | error | CheckoutError: Cannot check out order 4712 | Ir(/assets/main-BdQq4n0x.js)",
  "browser-11.12.0/rejection":
    "error | error | UnhandledRejection: Object captured as promise rejection with keys: code, reason | https://shop.example.com/shop.html",
  "browser-11.12.0/unhandled":
    "error | error | CheckoutError: Cannot check out order 4712 | checkout(/assets/main.js)",
  "go-0.47.0/error":
    "error | error | *main.CheckoutError: cannot check out order 4711 | main in report",
  "go-0.47.0/message": "default | info | Stock of 12 items is below 20 | ",
  "go-0.47.0/unhandled":
    "error | fatal | runtime.plainError: assignment to entry in nil map | main in report",
  "node-10.78.0/aggregate": "error | error | AggregateError: 2 orders failed | main(index)",
  "node-10.78.0/error":
    "error | error | CheckoutError: Cannot check out order 4711 | checkout(orders)",
  "node-10.78.0/message": "default | warning | Stock of 12 items is below 20 | ",
  "node-10.78.0/unhandled":
    "error | error | CheckoutError: Cannot check out order 4712 | checkout(orders)",
  "node-11.12.0/aggregate": "error | error | AggregateError: 2 orders failed | main(index)",
  "node-11.12.0/error":
    "error | error | CheckoutError: Cannot check out order 4711 | checkout(orders)",
  "node-11.12.0/message": "default | warning | Stock of 12 items is below 20 | ",
  "node-11.12.0/unhandled":
    "error | error | CheckoutError: Cannot check out order 4712 | checkout(orders)",
  "php-4.29.0/error":
    "error | error | App\\CheckoutException: Cannot pay for order 4711 | /src/Checkout.php in App\\Checkout::pay",
  "php-4.29.0/message": "default | warning | Stock of 12 items is below 20 | ",
  "php-4.29.0/unhandled":
    "error | error | App\\CheckoutException: Cannot pay for order 4711 | /src/Checkout.php in App\\Checkout::pay",
  "python-2.68.0/error":
    "error | error | CheckoutError: Cannot check out order 4711 | orders in checkout",
  "python-2.68.0/group": "error | error | ExceptionGroup: two orders failed | ",
  "python-2.68.0/logging": "default | error | Payment of 49.5 failed for ann | ",
  "python-2.68.0/message": "default | warning | Stock of 12 items is below 20 | ",
  "python-2.68.0/unhandled":
    "error | error | CheckoutError: Cannot check out order 4712 | orders in checkout",
};

Deno.test("every captured event gets its title, culprit, level and kind", () => {
  const actual = readFixtures().map((fixture) => [
    `${fixture.sdk}/${fixture.scenario}`,
    summary(decode(fixture)),
  ]);
  assert.deepEqual(Object.fromEntries(actual), SUMMARIES);
});

Deno.test("every captured event carries release, environment, server, user, trace, tags and breadcrumbs", () => {
  for (const fixture of readFixtures()) {
    const record = decode(fixture);
    const name = `${fixture.sdk}/${fixture.scenario}`;
    assertStorable(record);
    const tags = new Map(record.tags);
    const event: NormalizedEvent = JSON.parse(record.payload);
    const isBrowser = fixture.sdk.startsWith("browser");
    assert.equal(record.release, "shop@1.4.0", name);
    assert.equal(record.environment, "production", name);
    assert.equal(record.user, "id:7", name);
    assert.match(record.traceId ?? "", /^[0-9a-f]{32}$/, name);
    assert.match(record.spanId ?? "", /^[0-9a-f]{16}$/, name);
    assert.ok(record.sdk.endsWith(fixture.sdk.slice(fixture.sdk.indexOf("-") + 1)), name);
    assert.equal(tags.get("section"), "checkout", name);
    assert.equal(tags.get("server_name"), isBrowser ? undefined : "web-1", name);
    assert.equal(event.user?.data?.plan, "gold", name);
    assert.equal(event.user.ip_address, isBrowser ? CLIENT_ADDRESS : undefined, name);
    assert.equal(event.breadcrumbs?.values[0]?.message, "Opened the cart", name);
    assert.equal(event.contexts?.order?.id, 4711, name);
    assert.equal(event._received, undefined, name);
    assert.ok(RECEIVED_AT.getTime() - record.timestamp.getTime() < 900_000, name);
  }
});

Deno.test("unhandled errors are told from handled ones", () => {
  for (const fixture of readFixtures()) {
    if (fixture.sdk.startsWith("go")) continue; // that SDK says neither
    const handled = new Map(decode(fixture).tags).get("handled");
    const expected = {
      error: "yes",
      minified: "no",
      unhandled: "no",
      rejection: "no",
      aggregate: "yes",
    }[fixture.scenario];
    if (expected) assert.equal(handled, expected, `${fixture.sdk}/${fixture.scenario}`);
  }
});

function appFunctions(fixture: Fixture): (string | undefined)[][] {
  const event: NormalizedEvent = JSON.parse(decode(fixture).payload);
  return (event.exception?.values ?? []).map(({ stacktrace }) =>
    (stacktrace?.frames ?? []).filter(({ in_app }) => in_app).map((frame) => frame.function)
  );
}

Deno.test("chains of exceptions keep the application's frames, cause first", () => {
  assert.deepEqual(appFunctions(readFixture("node-11.12.0", "error")), [
    ["Object.?", "main", "checkout", undefined, "priceOf"],
    ["Object.?", "main", "checkout"],
  ]);
  assert.deepEqual(appFunctions(readFixture("python-2.68.0", "error")), [
    ["checkout", "<listcomp>", "price_of"],
    ["<module>", "checkout"],
  ]);
  assert.deepEqual(appFunctions(readFixture("php-4.29.0", "error")), [
    [undefined, "App\\Checkout::pay", "App\\Checkout::priceOf"],
    [undefined, "App\\Checkout::pay"],
  ]);
  assert.deepEqual(appFunctions(readFixture("go-0.47.0", "error")), [[], ["main", "report"]]);
  assert.deepEqual(appFunctions(readFixture("browser-11.12.0", "error"))[1], [
    "HTMLButtonElement.<anonymous>",
    "checkout",
  ]);
});

/** The same failure as it comes from another host, a later build, another day. */
function again(event: Record<string, unknown>): unknown {
  const moved = JSON.parse(JSON.stringify(event), (key, value) => {
    if (key === "lineno" || key === "colno") return value + 13;
    if (key === "event_id" || key === "trace_id") return "f".repeat(32);
    if (key === "vars") return { changed: true };
    if (key === "abs_path") return value.replace("/app/", "/srv/shop/");
    return value;
  });
  return {
    ...moved,
    timestamp: RECEIVED_AT.getTime() / 1000,
    release: "shop@2.0.0",
    server_name: "web-2",
  };
}

Deno.test("the same failure falls into the same group, another one into another", () => {
  const groups = new Map<string, string[]>();
  for (const { sdk, scenario, event } of readFixtures()) {
    const [hash] = recorded(structuredClone(event)).grouping.hashes;
    assert.equal(recorded(again(event)).grouping.hashes[0], hash, `${sdk}/${scenario}`);
    groups.set(hash, [...groups.get(hash) ?? [], `${sdk}/${scenario}`]);
  }
  const shared = [...groups.values()].filter((members) => members.length > 1);
  assert.deepEqual(shared, [
    ["browser-11.12.0/error", "browser-11.12.0/unhandled"],
    [
      ...["browser-11.12.0/message", "node-10.78.0/message", "node-11.12.0/message"],
      ...["php-4.29.0/message", "python-2.68.0/message"],
    ],
    ["node-10.78.0/aggregate", "node-11.12.0/aggregate"],
    ["node-10.78.0/error", "node-11.12.0/error"],
    ["node-10.78.0/unhandled", "node-11.12.0/unhandled"],
    ["php-4.29.0/error", "php-4.29.0/unhandled"],
  ]);
});

Deno.test("a message with other numbers falls into the same group", () => {
  const { event } = readFixture("python-2.68.0", "message");
  const other = JSON.parse(JSON.stringify(event).replace("Stock of 12 items", "Stock of 7 items"));
  assert.deepEqual(recorded(other).grouping, recorded(event).grouping);
});
