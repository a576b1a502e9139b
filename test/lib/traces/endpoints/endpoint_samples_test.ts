import assert from "node:assert/strict";
import {
  countStatusCodes,
  endpointCallers,
  type EndpointSelection,
  listEndpointSamples,
} from "@/lib/traces/endpoints/endpoint_samples.ts";
import { testDatabase } from "@/test/support/database.ts";
import { newEventId } from "@/test/support/error_event.ts";
import { spanBatchRecord, spanRecord, transactionRecord } from "@/test/support/records.ts";
import { testWriter } from "@/test/support/writer.ts";

const ROUTES = ["/orders/:id", "/orders/{id}"];
const NAMES = ["GET /orders/:id", "GET /orders/{id}"];

function selection(fields: Partial<EndpointSelection> = {}): EndpointSelection {
  const now = Date.now();
  return {
    projectId: "1",
    httpMethod: "GET",
    routes: ROUTES,
    names: NAMES,
    environments: [],
    releases: [],
    services: [],
    start: new Date(now - 3_600_000),
    end: new Date(now + 60_000),
    ...fields,
  };
}

Deno.test("requests of all spellings of a route are listed, slowest that succeeded or newest failed first", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store(
    "1",
    transactionRecord({ durationMs: 10 }),
    transactionRecord({ durationMs: 30, isFailed: true, httpStatus: 500 }),
    transactionRecord({
      durationMs: 20,
      name: "GET /orders/{id}",
      route: "/orders/{id}",
      service: "api",
    }),
    transactionRecord({ durationMs: 90, httpMethod: "PUT" }),
    transactionRecord({ durationMs: 90, route: "/elsewhere" }),
    transactionRecord({ durationMs: 90, environment: "staging" }),
  );
  const durations = async (fields: Partial<EndpointSelection>, order: "slowest" | "failed") => {
    const scope = { environments: ["production"], ...fields };
    const samples = await listEndpointSamples(database.sql, selection(scope), order, 2);
    return samples.map(({ durationMs }) => durationMs);
  };
  assert.deepEqual(await durations({}, "slowest"), [20, 10], "failed ones have their own list");
  assert.deepEqual(await durations({ services: ["api"] }, "slowest"), [20]);
  assert.deepEqual(await durations({}, "failed"), [30]);
  assert.deepEqual(await durations({ projectId: "2" }, "slowest"), []);
  assert.deepEqual(await durations({ names: ["a\0b"], routes: ["\0"] }, "slowest"), []);
});

Deno.test("status codes are counted one by one, and requests without one as well", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  await writer.store(
    "1",
    ...[200, 200, 404, null].map((httpStatus) => transactionRecord({ httpStatus, durationMs: 40 })),
    transactionRecord({ httpStatus: 503, isFailed: true, durationMs: 10 }),
  );
  const statuses = await countStatusCodes(database.sql, selection());
  assert.deepEqual(statuses[0], { httpStatus: 200, count: 2, averageMs: 40, failures: 0 });
  assert.deepEqual(
    new Map(statuses.map(({ httpStatus, failures }) => [httpStatus, failures])),
    new Map([[200, 0], [404, 0], [null, 0], [503, 1]]),
  );
});

Deno.test("callers are found by the spans that requests came from", async () => {
  await using database = await testDatabase();
  await using writer = testWriter(database.sql);
  const called = (traceId: string, parentSpanId: string | null) =>
    transactionRecord({ traceId, parentSpanId, durationMs: 50 });
  const [one, two, three] = [newEventId(), newEventId(), newEventId()];
  const [click, proxy, gone] = ["a1", "b2", "c3"].map((end) => end.padStart(16, "0"));
  assert.ok(click && proxy && gone);
  await writer.store(
    "1",
    spanBatchRecord({
      traceId: one,
      service: "shop-web",
      transaction: "/cart",
      spans: [spanRecord({ spanId: click, category: "http", group: "GET api" })],
    }),
    called(one, click),
    called(one, click),
    // A transaction may be the caller itself.
    transactionRecord({ traceId: two, spanId: proxy, name: "proxy", service: "", platform: "go" }),
    called(two, proxy),
    // The same span in another trace is another one.
    called(three, click),
    called(three, gone),
    called(newEventId(), null),
  );
  await writer.store(
    "2",
    spanBatchRecord({ traceId: three, spans: [spanRecord({ spanId: gone })] }),
  );
  const found = await endpointCallers(database.sql, selection());
  assert.deepEqual([found.sampled, found.roots, found.unknown], [6, 1, 2]);
  assert.deepEqual(
    found.callers.map(({ service, transaction, count, averageMs, traceId }) => [
      service,
      transaction,
      count,
      averageMs,
      traceId,
    ]),
    [["shop-web", "/cart", 2, 50, one], ["go", "proxy", 1, 50, two]],
  );
});
