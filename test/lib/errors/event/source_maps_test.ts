import assert from "node:assert/strict";
import { viewEvent } from "@/lib/errors/event/view.ts";

const SCRIPT = "https://shop.test/assets/app.js";
const ID = "13cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1";

const raw = [
  { abs_path: SCRIPT, filename: "/assets/app.js", function: "t", lineno: 1, colno: 100 },
  { abs_path: "https://cdn.test/x.js", filename: "/x.js", function: "e", lineno: 1, colno: 5 },
];

const payload = JSON.stringify({
  platform: "javascript",
  debug_meta: { images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: ID }] },
  errors: [
    { type: "js_no_source", symbolicator_type: "missing_source", url: "https://cdn.test/x.js" },
    { type: "clock_drift" },
  ],
  exception: {
    values: [{
      type: "Error",
      value: "x",
      stacktrace: {
        frames: [
          {
            ...raw[0],
            filename: "src/cart.ts",
            function: "checkout",
            lineno: 8,
            data: { symbolicated: true, sourcemap: SCRIPT, resolved_with: "debug-id" },
          },
          { ...raw[1], data: { symbolicated: false, unmapped_reason: "Nobody uploaded it." } },
        ],
      },
      raw_stacktrace: { frames: raw },
    }],
  },
});

Deno.test("an event tells of each file whether it has a map, and why not", () => {
  const { sourceMaps, problems } = viewEvent(payload);
  assert.deepEqual(sourceMaps, {
    hasMinified: true,
    mappings: [],
    named: 0,
    files: [
      { path: SCRIPT, debugId: ID, mapped: 1, frames: 1, reason: "" },
      {
        path: "https://cdn.test/x.js",
        debugId: "",
        mapped: 0,
        frames: 1,
        reason: "Nobody uploaded it.",
      },
    ],
  });
  assert.deepEqual(problems, ["clock_drift"]);
});

Deno.test("the stack is shown as it was mapped, or as it came", () => {
  const names = (form?: "minified") =>
    viewEvent(payload, form).exceptions[0]?.frames.map(({ name }) => name);
  assert.deepEqual(names(), ["e", "checkout"]);
  assert.deepEqual(names("minified"), ["e", "t"]);
  const [unmapped] = viewEvent(payload).exceptions[0]?.frames ?? [];
  assert.equal(unmapped?.unmapped, "Nobody uploaded it.");
});

Deno.test("events that came before any upload say so, and those of other platforms nothing", () => {
  const event = (platform: string) =>
    JSON.stringify({ platform, exception: { values: [{ stacktrace: { frames: raw } }] } });
  const [first] = viewEvent(event("javascript")).sourceMaps?.files ?? [];
  assert.match(first?.reason ?? "", /^No source maps had been uploaded/);
  assert.equal(viewEvent(event("python")).sourceMaps, null);
  assert.equal(viewEvent(`{"platform":"javascript","exception":3}`).sourceMaps, null);
});
