import assert from "node:assert/strict";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { entriesOf, stacktraceJson } from "@/lib/errors/api_events.ts";

function event(fields: Partial<NormalizedEvent>): NormalizedEvent {
  return {
    event_id: "9fac2ceed9344f2bbfdd1fdacb0ed9b1",
    type: "error",
    timestamp: 1767323045.5,
    received: 1767323046,
    platform: "node",
    level: "error",
    ...fields,
  };
}

Deno.test("entriesOf() gives the parts that an event has, what happened first", () => {
  const entries = entriesOf(event({
    breadcrumbs: { values: [{ type: "http", level: "info", timestamp: 1767323044.25 }] },
    request: { url: "https://a.test/", headers: [["Host", "a.test"]] },
    logentry: { message: "Hello %s", params: ["you"] },
    exception: { values: [{ type: "E", value: "x" }] },
  }));
  assert.deepEqual(entries.map(({ type }) => type), [
    "exception",
    "message",
    "request",
    "breadcrumbs",
  ]);
  const [exception, message, request, breadcrumbs] = entries.map(({ data }) =>
    JSON.stringify(data)
  );
  assert.match(exception ?? "", /"type":"E","value":"x","module":null/);
  assert.match(message ?? "", /"formatted":"Hello %s"/);
  assert.match(request ?? "", /"headers":\[\["Host","a.test"\]\]/);
  assert.match(breadcrumbs ?? "", /"timestamp":"2026-01-02T03:04:04.250Z"/);
});

Deno.test("entriesOf() gives nothing for an event without any", () => {
  assert.deepEqual(entriesOf(event({})), []);
});

Deno.test("stacktraceJson() numbers the source lines around a frame", () => {
  const stacktrace = stacktraceJson({
    frames: [{
      filename: "a.js",
      lineno: 12,
      pre_context: ["ten", "eleven"],
      context_line: "twelve",
      post_context: ["thirteen"],
      in_app: true,
    }, { filename: "b.js" }],
  }, "node");
  assert.deepEqual(stacktrace?.frames[0]?.context, [
    [10, "ten"],
    [11, "eleven"],
    [12, "twelve"],
    [13, "thirteen"],
  ]);
  assert.deepEqual(stacktrace?.frames[1]?.context, []);
  assert.equal(stacktrace?.hasSystemFrames, true);
  assert.equal(stacktraceJson(undefined, "node"), null);
});
