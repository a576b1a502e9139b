import assert from "node:assert/strict";
import fc from "fast-check";
import { viewEvent } from "@/lib/errors/event/view.ts";

const view = (event: unknown) => viewEvent(JSON.stringify(event));

Deno.test("viewEvent() gives an empty view of a payload that is no event", () => {
  const empty = view({});
  assert.equal(empty.message, null);
  assert.deepEqual(empty.exceptions, []);
  for (const payload of ["", "null", "[]", "7", '"x"', "{", "\u0000"]) {
    assert.deepEqual(viewEvent(payload), empty, payload);
  }
});

Deno.test("viewEvent() shows the formatted message, and its template beside it when they differ", () => {
  const message = (logentry: unknown) => view({ logentry }).message;
  assert.deepEqual(
    message({ message: "user %s failed", formatted: "user 7 failed", params: [7] }),
    {
      text: "user 7 failed",
      template: "user %s failed",
      parameters: [["0", 7]],
    },
  );
  assert.equal(message({ message: "plain", formatted: "plain" })?.template, "");
  assert.equal(view({ message: "bare" }).message?.text, "bare");
});

Deno.test("viewEvent() lists the crashed thread first", () => {
  const { threads } = view({
    threads: {
      values: [
        { id: 1, name: "idle" },
        { id: 2, stacktrace: { frames: [{ function: "wait" }] } },
        { id: 3, crashed: true },
      ],
    },
  });
  assert.deepEqual(threads.map(({ id }) => id), ["3", "2", "1"]);
});

Deno.test("viewEvent() shows the user with known fields first and leaves out empty ones", () => {
  const { user } = view({
    user: {
      ip_address: "10.0.0.1",
      id: 7,
      email: null,
      plan: "pro",
      data: { team: "red" },
      geo: { city: "Riga", region: "Latvia", country_code: "LV" },
    },
  });
  assert.deepEqual(user, [
    ["ID", 7],
    ["IP address", "10.0.0.1"],
    ["Place", "Riga, Latvia, LV"],
    ["team", "red"],
    ["plan", "pro"],
  ]);
});

Deno.test("viewEvent() orders contexts as people look for them and drops those that say nothing", () => {
  const { contexts } = view({
    contexts: {
      zebra: { stripes: 40 },
      os: { type: "os", name: "Linux", version: "\n" },
      device: { memory_size: 16_777_216 },
      app: {},
      browser: { name: "Chrome" },
      note: "text",
      flags: { values: [{ flag: "new-cart", result: true }, null] },
      gone: null,
    },
  });
  assert.deepEqual(contexts.map(({ title, entries }) => [title, entries]), [
    ["Browser", [["name", "Chrome"]]],
    ["Operating system", [["name", "Linux"]]],
    ["Device", [["memory_size", "16 MiB"]]],
    ["Feature flags", [["new-cart", true]]],
    ["note", [["value", "text"]]],
    ["zebra", [["stripes", 40]]],
  ]);
});

Deno.test("viewEvent() lists modules by name", () => {
  assert.deepEqual(view({ modules: { b: "2", a: null } }).modules, [["a", ""], ["b", "2"]]);
});

Deno.test("whatever a stored payload holds, viewEvent() makes a view of it", () => {
  const shape = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: "small" }, fc.jsonValue(), tie("object"), fc.array(tie("any"))),
    object: fc.dictionary(
      fc.constantFrom(
        ...["exception", "threads", "values", "stacktrace", "frames", "frames_omitted", "vars"],
        ...["mechanism", "breadcrumbs", "data", "request", "headers", "cookies", "query_string"],
        ...["user", "geo", "contexts", "flags", "sdk", "packages", "errors", "logentry", "params"],
        ...["type", "value", "message", "url", "lineno", "pre_context", "context_line", "meta"],
      ),
      tie("any"),
    ),
  }));
  fc.assert(
    fc.property(shape.object, (event) => {
      assert.equal(typeof view(event), "object");
    }),
    { numRuns: 500 },
  );
});
