import assert from "node:assert/strict";
import { viewEvent } from "@/lib/errors/event/view.ts";
import { fitPage } from "@/lib/errors/event/view.ts";

const fit = (event: unknown) => fitPage(viewEvent(JSON.stringify(event)));

Deno.test("fitPage() leaves an ordinary event as it is", () => {
  const event = {
    exception: {
      values: [{ type: "Error", stacktrace: { frames: [{ function: "a", vars: { x: 1 } }] } }],
    },
    extra: { note: "short" },
    contexts: { os: { name: "Linux" } },
    breadcrumbs: { values: [{ message: "a", data: { b: 1 } }] },
  };
  assert.deepEqual(fit(event), viewEvent(JSON.stringify(event)));
});

Deno.test("fitPage() keeps the newest frames of an endless stack and counts the others", () => {
  const frames = Array.from({ length: 10_000 }, (_, index) => ({ function: `f${index}` }));
  const [exception] =
    fit({ exception: { values: [{ type: "A", stacktrace: { frames } }] } }).exceptions;
  assert.equal(exception?.frames[0]?.name, "f9999");
  assert.equal(exception?.frames.length, 400);
  assert.equal(exception?.frames.at(-1)?.omittedBelow, 9_600);
});

Deno.test("fitPage() drops source and variables of the oldest frames when they grow too large", () => {
  const frames = Array.from({ length: 100 }, (_, index) => ({
    function: `f${index}`,
    context_line: "x".repeat(500),
    vars: { big: "y".repeat(5_000) },
  }));
  const [exception] =
    fit({ exception: { values: [{ type: "A", stacktrace: { frames } }] } }).exceptions;
  assert.equal(exception?.frames[0]?.isCut, false);
  assert.equal(exception?.frames.at(-1)?.isCut, true);
  assert.deepEqual(exception?.frames.at(-1)?.variables, []);
});

Deno.test("fitPage() says how many values it left out", () => {
  const extra = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key${index}`, "z".repeat(3_000)]),
  );
  const shown = fit({ extra }).extra;
  assert.equal(shown.length, 12);
  assert.deepEqual(shown.at(-1), ["…", "89 more in the raw event"]);
});

Deno.test("fitPage() keeps the newest hundred breadcrumbs", () => {
  const breadcrumbs = Array.from({ length: 500 }, (_, index) => ({ message: `step ${index}` }));
  const shown = fit({ breadcrumbs }).breadcrumbs;
  assert.equal(shown.length, 100);
  assert.equal(shown[0]?.message, "step 499");
});
