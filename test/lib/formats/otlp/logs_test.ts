import assert from "node:assert/strict";
import { decodeLogs, only, outcomesOf, recordsOf } from "./decode_request.ts";
import {
  anyValue,
  attributes,
  logs,
  nanosAt,
  RECEIVED_AT,
  RESOURCE,
  TRACE,
} from "./otlp_samples.ts";

const NOW = RECEIVED_AT.getTime();
const SPAN = "eee19b7ec3c1b174";
const record = (fields: Record<string, unknown> = {}) => ({
  timeUnixNano: nanosAt(0),
  severityNumber: 9,
  body: { stringValue: "cart is empty" },
  traceId: TRACE,
  spanId: SPAN,
  ...fields,
});
const logOf = (fields: Record<string, unknown>) =>
  only(recordsOf(decodeLogs(logs([record(fields)])), "log"));

Deno.test("a log record is stored with where it comes from", () => {
  const log = logOf({ attributes: attributes({ user: { id: 7, tags: ["a", "b"] } }) });
  assert.deepEqual({ ...log, logId: "", attributes: JSON.parse(log.attributes) }, {
    kind: "log",
    logId: "",
    timestamp: new Date(NOW - 60_000),
    nanos: 0,
    place: 0,
    receivedAt: RECEIVED_AT,
    level: "info",
    body: "cart is empty",
    traceId: TRACE,
    spanId: SPAN,
    environment: "production",
    release: "1.4.2",
    logger: "winston",
    server: "web-1",
    sdk: "opentelemetry/2.12.0",
    attributes: { "service.name": "checkout", "user.id": 7, "user.tags": ["a", "b"] },
  });
});

Deno.test("the level comes from the number, else from the word", () => {
  const cases = [
    [1, "", "trace"],
    [4, "", "trace"],
    [5, "", "debug"],
    [12, "", "info"],
    [13, "", "warn"],
    [17, "", "error"],
    [24, "", "fatal"],
    [0, "Warning", "warn"],
    [undefined, "ERR", "error"],
    [undefined, "critical", "fatal"],
    [undefined, "panic", "fatal"],
    [undefined, "emerg", "fatal"],
    [99, "debug", "debug"],
    [undefined, "", "info"],
    [9, "error", "info"],
  ] as const;
  for (const [severityNumber, severityText, level] of cases) {
    assert.equal(logOf({ severityNumber, severityText }).level, level);
  }
  assert.equal(logOf({ severityNumber: "SEVERITY_NUMBER_ERROR2" }).level, "error");
});

Deno.test("the time is the record's, else when it was observed, else when it came", () => {
  const timeOf = (fields: Record<string, unknown>) => logOf(fields).timestamp.getTime() - NOW;
  assert.equal(timeOf({ observedTimeUnixNano: nanosAt(5_000) }), -60_000);
  assert.equal(timeOf({ timeUnixNano: "0", observedTimeUnixNano: nanosAt(5_000) }), -55_000);
  assert.equal(timeOf({ timeUnixNano: undefined }), 0);
  assert.equal(timeOf({ timeUnixNano: nanosAt(3_000_000) }), 60_000);
});

Deno.test("a log keeps its nanoseconds as sent, and which of its request it is", () => {
  const millis = NOW - 60_000;
  const sent = ["000001", "999999", "123456"].map((digits) =>
    record({ timeUnixNano: `${millis}${digits}` })
  );
  const read = recordsOf(decodeLogs(logs(sent)), "log");
  assert.deepEqual(
    read.map(({ timestamp, nanos, place }) => [timestamp.getTime() - millis, nanos, place]),
    [[0, 1, 0], [0, 999_999, 1], [0, 123_456, 2]],
  );
  assert.equal(
    logOf({ timeUnixNano: nanosAt(3_000_000) }).nanos,
    0,
    "moved to a time that is kept",
  );
});

Deno.test("log records of another time, or that say nothing, are rejected alone", () => {
  const batch = decodeLogs(logs([
    record({ timeUnixNano: nanosAt(2 * 3_600_000) }),
    record({ timeUnixNano: "1000000000" }),
    record({ timeUnixNano: "1" }),
    {},
    record(),
  ]));
  assert.deepEqual(outcomesOf(batch), [
    "3 log_item invalid/bad_time",
    "1 log_item invalid/empty_log",
  ]);
  assert.equal(recordsOf(batch, "log").length, 1);
});

Deno.test("wrong ids are no reason to lose a log", () => {
  const cases = [
    [{ traceId: "ab" }, null, null],
    [{ traceId: "0".repeat(32) }, null, null],
    [{ spanId: "ab" }, TRACE, null],
    [{ traceId: undefined, spanId: undefined }, null, null],
  ] as const;
  for (const [fields, traceId, spanId] of cases) {
    const log = logOf(fields);
    assert.deepEqual([log.traceId, log.spanId], [traceId, spanId]);
  }
});

Deno.test("a body that is no text is shown as JSON, and an event without one by its name", () => {
  assert.equal(logOf({ body: anyValue({ a: [1, "x"] }) }).body, '{"a":[1,"x"]}');
  assert.equal(logOf({ body: anyValue(7) }).body, "7");
  assert.equal(logOf({ body: { stringValue: "line\n" } }).body, "line\n");
  const event = logOf({ body: undefined, eventName: "browser.web_vital" });
  assert.equal(event.body, "browser.web_vital");
  assert.equal(JSON.parse(event.attributes)["event.name"], "browser.web_vital");
  assert.equal(logOf({ body: { stringValue: "x".repeat(20_000) } }).body.length, 8_192);
});

Deno.test("ids of logs are the same when the same request is stored again", () => {
  const idsOf = (requestId: string) =>
    recordsOf(decodeLogs(logs([record(), record()]), { requestId }), "log").map(({ logId }) =>
      logId
    );
  const [first, second] = [idsOf("a"), idsOf("b")];
  assert.deepEqual(idsOf("a"), first);
  assert.equal(new Set([...first, ...second]).size, 4);
});

Deno.test("secrets are taken out of bodies and attributes of logs", () => {
  const batch = decodeLogs(logs([
    record({
      body: { stringValue: "login with password=hunter2" },
      attributes: attributes({ password: "hunter2", nested: { token: "hunter2" } }),
    }),
  ], { ...RESOURCE, password: "hunter2" }));
  assert.ok(!JSON.stringify(batch).includes("hunter2"));
});
