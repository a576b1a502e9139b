import assert from "node:assert/strict";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { decodeLogs, decodeTraces, only, outcomesOf, recordsOf } from "./decode_request.ts";
import { attributes, logs, nanosAt, RESOURCE, serverSpan, TRACE, traces } from "./otlp_samples.ts";

const SPAN = "eee19b7ec3c1b174";
const STACK = `TypeError: x is undefined
    at pay (/app/src/pay.js:3:15)
    at async run (/app/node_modules/express/index.js:9:1)`;
const EXCEPTION = {
  "exception.type": "TypeError",
  "exception.message": "x is undefined",
  "exception.stacktrace": STACK,
};
const thrown = (values: Record<string, unknown> = EXCEPTION) => ({
  timeUnixNano: nanosAt(5),
  name: "exception",
  attributes: attributes(values),
});
const logged = (fields: Record<string, unknown> = {}) => ({
  timeUnixNano: nanosAt(6),
  severityNumber: 17,
  traceId: TRACE,
  spanId: SPAN,
  attributes: attributes(EXCEPTION),
  ...fields,
});
const errorsIn = (spans: unknown[], resource: Record<string, unknown> = RESOURCE) =>
  recordsOf(decodeTraces(traces(spans, resource)), "error");
const payloadOf = ({ payload }: ErrorEvent) => JSON.parse(payload);

Deno.test("an exception event becomes an error of the service, in its trace and transaction", () => {
  const error = only(errorsIn([serverSpan({ events: [thrown()] })]));
  assert.equal(error.title, "TypeError: x is undefined");
  assert.deepEqual([error.traceId, error.spanId], [TRACE, SPAN]);
  assert.deepEqual(
    [error.level, error.platform, error.environment, error.release, error.transaction, error.sdk],
    ["error", "node", "production", "1.4.2", "GET /api/users/:id", "opentelemetry/2.12.0"],
  );
  assert.equal(error.timestamp.getTime(), Number(BigInt(nanosAt(5)) / 1_000_000n));
  const tags = new Map(error.tags);
  assert.deepEqual(
    ["service", "server_name", "handled", "url"].map((key) => tags.get(key)),
    ["checkout", "web-1", "yes", "https://shop.example/api/users/42"],
  );
  const { exception: { values: [value] } } = payloadOf(error);
  assert.deepEqual(
    value.stacktrace.frames.map((frame: Record<string, unknown>) => [
      frame.function,
      frame.filename,
      frame.lineno,
      frame.in_app,
    ]),
    [["run", "/app/node_modules/express/index.js", 9, false], ["pay", "/app/src/pay.js", 3, true]],
  );
});

Deno.test("an error in a child span is of the transaction above it", () => {
  const child = serverSpan({
    spanId: "aaaaaaaaaaaaaaaa",
    parentSpanId: SPAN,
    kind: 1,
    events: [thrown()],
  });
  const error = only(errorsIn([child, serverSpan()]));
  assert.deepEqual([error.transaction, error.spanId], ["GET /api/users/:id", "aaaaaaaaaaaaaaaa"]);
  assert.equal(only(errorsIn([child])).transaction, "");
});

Deno.test("an exception among the attributes of a span, as Deno sends it, is an error too", () => {
  const span = serverSpan({ attributes: attributes({ ...EXCEPTION, "error.type": "TypeError" }) });
  const error = only(errorsIn([span], { "telemetry.sdk.language": "deno-rust" }));
  assert.deepEqual([error.title, error.platform], ["TypeError: x is undefined", "javascript"]);
});

Deno.test("a log that tells of an exception is a log and an error", () => {
  const batch = decodeLogs(logs([
    logged({ body: { stringValue: "payment failed" } }),
    logged({ traceId: "b".repeat(32), severityNumber: 21 }),
  ]));
  const [first, second] = recordsOf(batch, "log");
  assert.deepEqual([first?.body, second?.body], ["payment failed", "TypeError: x is undefined"]);
  const [error, fatal] = recordsOf(batch, "error");
  assert.deepEqual([error?.level, fatal?.level], ["error", "fatal"]);
  assert.equal(error?.title, "TypeError: x is undefined");
  assert.equal(new Map(error?.tags).get("logger"), "winston");
  assert.ok(error);
  assert.equal(payloadOf(error).logentry.formatted, "payment failed");
});

Deno.test("one exception has one id, whether an event, an attribute or a log tells of it, and how often", () => {
  const request = traces([
    serverSpan({ events: [thrown(), thrown()], attributes: attributes(EXCEPTION) }),
  ]);
  const first = only(recordsOf(decodeTraces(request), "error"));
  const again = only(recordsOf(decodeTraces(request, { requestId: crypto.randomUUID() }), "error"));
  const log = only(recordsOf(decodeLogs(logs([logged(), logged()])), "error"));
  assert.equal(first.eventId, again.eventId);
  assert.equal(first.eventId, log.eventId);
});

Deno.test("an exception that a logger sees from another depth than the span is the same", () => {
  const [title, newest] = STACK.split("\n");
  const deeper = {
    ...EXCEPTION,
    "exception.stacktrace": `${title}\n${newest}\n    at outer (app.js:1:1)`,
  };
  const [span, log] = [
    only(errorsIn([serverSpan({ events: [thrown()] })])),
    only(recordsOf(decodeLogs(logs([logged({ attributes: attributes(deeper) })])), "error")),
  ];
  assert.equal(span.eventId, log.eventId);
});

Deno.test("an exception that several spans of a trace record is one error, whatever requests they come in", () => {
  const at = (spanId: string, parentSpanId: string, stack = STACK) =>
    serverSpan({
      spanId,
      parentSpanId,
      kind: 1,
      status: { code: 2 },
      events: [thrown({ ...EXCEPTION, "exception.stacktrace": stack })],
    });
  const [inner, outer] = [at("a".repeat(16), "b".repeat(16)), at("b".repeat(16), SPAN)];
  const server = serverSpan({ events: [thrown()] });
  const error = only(errorsIn([inner, outer, server]));
  for (const alone of [inner, outer, server]) {
    assert.equal(only(errorsIn([alone])).eventId, error.eventId);
  }
  const python = (from: string) =>
    `Traceback (most recent call last):\n  File "${from}.py", line 3, in ${from}\n    pay()\n` +
    `  File "pay.py", line 7, in pay\n    raise TypeError("x is undefined")\nTypeError: x is undefined`;
  assert.equal(
    errorsIn([at("a".repeat(16), SPAN, python("view")), at("b".repeat(16), SPAN, python("app"))])
      .length,
    1,
  );
  const elsewhere = at("c".repeat(16), SPAN, STACK.replace("pay.js:3", "refund.js:9"));
  assert.equal(errorsIn([inner, elsewhere]).length, 2);
  assert.equal(errorsIn([inner, { ...inner, traceId: "f".repeat(32) }]).length, 2);
});

Deno.test("an exception behind an answer of 5xx is unhandled", () => {
  const answering = (status: number) =>
    serverSpan({
      attributes: attributes({ "http.response.status_code": status, "http.route": "/pay" }),
    });
  const child = (fields: Record<string, unknown> = {}) =>
    serverSpan({
      spanId: "a".repeat(16),
      parentSpanId: SPAN,
      kind: 1,
      status: { code: 2 },
      events: [thrown()],
      ...fields,
    });
  const handled = (...spans: unknown[]) => new Map(only(errorsIn(spans)).tags).get("handled");
  assert.equal(handled(child(), answering(500)), "no");
  assert.equal(handled({ ...answering(503), events: [thrown()] }), "no");
  assert.equal(handled(child(), answering(404)), "yes");
  // Caught on the way: the span went on well.
  assert.equal(handled(child({ status: { code: 0 } }), answering(500)), "yes");
});

Deno.test("outside of a trace, the time tells two exceptions apart", () => {
  const outside = { traceId: undefined, spanId: undefined };
  const errors = recordsOf(
    decodeLogs(logs([
      logged(outside),
      logged({ ...outside, timeUnixNano: nanosAt(7) }),
      logged(outside),
    ])),
    "error",
  );
  assert.equal(errors.length, 2);
});

Deno.test("an exception needs a type or a message, and an event another name is none", () => {
  const events = [
    thrown({ "exception.stacktrace": STACK }),
    { ...thrown(), name: "retry" },
  ];
  assert.deepEqual(errorsIn([serverSpan({ events })]), []);
  const [type, message] = errorsIn([serverSpan({
    events: [thrown({ "exception.type": "Lost" }), thrown({ "exception.message": "gone" })],
  })]);
  assert.deepEqual([type?.title, message?.title], ["Lost", "Error: gone"]);
});

Deno.test("an exception that escaped its span was not handled", () => {
  const events = [thrown({ ...EXCEPTION, "exception.escaped": true })];
  const error = only(errorsIn([serverSpan({ events })]));
  assert.equal(new Map(error.tags).get("handled"), "no");
});

Deno.test("a stack that is not understood is kept as it is", () => {
  const events = [thrown({ ...EXCEPTION, "exception.stacktrace": "somewhere in the machine" })];
  const { extra, exception } = payloadOf(only(errorsIn([serverSpan({ events })])));
  assert.equal(extra["exception.stacktrace"], "somewhere in the machine");
  assert.equal(exception.values[0].stacktrace, undefined);
});

Deno.test("types of Java and Python stand without their package, causes before effects", () => {
  const stack = `com.shop.CartException: cannot pay
	at com.shop.Cart.pay(Cart.java:12)
	at com.shop.Main.main(Main.java:3)
Caused by: java.sql.SQLException: no connection
	at com.shop.Db.open(Db.java:7)
	... 2 more`;
  const events = [thrown({
    "exception.type": "com.shop.CartException",
    "exception.message": "cannot pay",
    "exception.stacktrace": stack,
  })];
  const resource = { "telemetry.sdk.language": "java" };
  const error = only(errorsIn([serverSpan({ events })], resource));
  const { exception: { values } } = payloadOf(error);
  assert.deepEqual(
    values.map(({ type, module, value }: Record<string, string>) => [type, module, value]),
    [["SQLException", "java.sql", "no connection"], ["CartException", "com.shop", "cannot pay"]],
  );
  assert.equal(error.platform, "java");
});

Deno.test("platforms have Sentry's names", () => {
  const cases = [["dotnet", "csharp"], ["cpp", "native"], ["go", "go"], ["webjs", "javascript"]];
  for (const [language, platform] of cases) {
    const resource = { "telemetry.sdk.language": language };
    assert.equal(only(errorsIn([serverSpan({ events: [thrown()] })], resource)).platform, platform);
  }
  assert.equal(only(errorsIn([serverSpan({ events: [thrown()] })], {})).platform, "other");
});

Deno.test("errors of one trace are bounded, and those left out are counted", () => {
  const events = Array.from(
    { length: 50 },
    (_, index) => thrown({ "exception.type": "E", "exception.message": `number ${index}` }),
  );
  const batch = decodeTraces(traces([serverSpan({ events })]));
  assert.equal(recordsOf(batch, "error").length, 20);
  assert.deepEqual(outcomesOf(batch), ["30 error too_large/too_many_exceptions"]);
});

Deno.test("errors of one request are bounded as well", () => {
  const spans = Array.from(
    { length: 600 },
    (_, index) =>
      serverSpan({ traceId: (index + 1).toString(16).padStart(32, "0"), events: [thrown()] }),
  );
  const batch = decodeTraces(traces(spans));
  assert.equal(recordsOf(batch, "error").length, 500);
  assert.deepEqual(outcomesOf(batch), ["100 error too_large/too_many_exceptions"]);
});

Deno.test("secrets are taken out of errors, and the sender's address is nobody's", () => {
  const events = [
    thrown({ ...EXCEPTION, "exception.message": "password=hunter2", password: "hunter2" }),
  ];
  const batch = decodeTraces(
    traces([serverSpan({ events })], { "telemetry.sdk.language": "webjs", token: "hunter2" }),
    { clientAddress: "203.0.113.7" },
  );
  assert.ok(!JSON.stringify(batch).includes("hunter2"));
  assert.ok(!JSON.stringify(batch).includes("203.0.113.7"));
});
