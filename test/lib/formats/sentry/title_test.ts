import assert from "node:assert/strict";
import { culpritOf, metadataOf, titleOf } from "@/lib/formats/sentry/title.ts";
import { normalized } from "./decode.ts";

function title(sent: Record<string, unknown>): string {
  return titleOf(normalized(sent));
}

function culprit(sent: Record<string, unknown>): string {
  return culpritOf(normalized(sent));
}

const frames = [
  { function: "library", module: "vendor.lib", in_app: false },
  { function: "checkout", module: "shop.orders", filename: "orders.py", in_app: true },
  { function: "raise_it", module: "vendor.lib", in_app: false },
];

Deno.test("titleOf() is the type and the first line of the value of the outermost exception", () => {
  const exception = [{ type: "Cause", value: "inner" }, {
    type: "Outer",
    value: "\n  first line\nsecond",
  }];
  assert.equal(title({ exception }), "Outer: first line");
  assert.equal(title({ exception: { type: "E" } }), "E");
  assert.equal(title({ exception: { value: "just said" } }), "Error: just said");
});

Deno.test("titleOf() cuts long types and values", () => {
  const text = title({ exception: { type: "T".repeat(300), value: "v".repeat(5_000) } });
  assert.equal(text, `${"T".repeat(125)}...: ${"v".repeat(97)}...`);
});

Deno.test("titleOf() is one line without control characters", () => {
  assert.equal(
    title({ exception: { type: "A\nB", value: "\u001b[31mred\u0007" } }),
    "A B: red",
  );
});

Deno.test("titleOf() is the filled-in message of a message", () => {
  assert.equal(title({ logentry: { message: "user %s", formatted: "user 7\nmore" } }), "user 7");
  assert.equal(title({ message: "x".repeat(300) }).length, 100);
});

Deno.test("titleOf() is the message where the SDK attached a made-up exception to it", () => {
  const exception = { value: "low", mechanism: { synthetic: true }, stacktrace: { frames } };
  assert.equal(title({ message: "Stock is low", exception }), "Stock is low");
  assert.equal(culprit({ message: "Stock is low", exception }), "");
  assert.deepEqual(metadataOf(normalized({ message: "Stock is low", exception })), {});
});

Deno.test("titleOf() names native crashes by their function, other made-up exceptions by what they say", () => {
  const crash = (platform: string) => ({
    platform,
    exception: {
      type: "SIGSEGV",
      value: "at 0x0",
      mechanism: { synthetic: true },
      stacktrace: { frames },
    },
  });
  assert.equal(title(crash("native")), "checkout");
  assert.equal(title(crash("javascript")), "SIGSEGV: at 0x0");
  assert.equal(
    title({ platform: "native", exception: { type: "X", mechanism: { synthetic: true } } }),
    "<unknown>",
  );
});

Deno.test("titleOf() says what a policy blocked", () => {
  assert.equal(
    title({
      csp: { effective_directive: "script-src-elem", blocked_uri: "https://cdn.example.com/x.js" },
    }),
    "Blocked 'script' from 'cdn.example.com'",
  );
  assert.equal(
    title({ csp: { violated_directive: "img-src 'self'", blocked_uri: "data" } }),
    "Blocked 'img' from 'data'",
  );
});

Deno.test("titleOf() has a word for events that say nothing", () => {
  for (const sent of [{}, { message: "" }, { message: " \n " }, { exception: {} }]) {
    assert.equal(title(sent), "<unlabeled event>");
  }
});

Deno.test("titleOf() looks through wrappers that say nothing", () => {
  const cause = { type: "IOException", value: "no route" };
  assert.equal(
    title({
      exception: [cause, { type: "io.reactivex.exceptions.UndeliverableException", value: "…" }],
    }),
    "IOException: no route",
  );
  const react = {
    type: "Error",
    value: "There was an error during concurrent rendering but React was able to recover",
  };
  assert.equal(title({ exception: [cause, react] }), "IOException: no route");
});

Deno.test("culpritOf() is the transaction, else the newest frame of the application, else the URL", () => {
  const exception = { type: "E", stacktrace: { frames } };
  assert.equal(culprit({ platform: "python", exception, transaction: "/pay" }), "/pay");
  assert.equal(culprit({ platform: "python", exception }), "shop.orders in checkout");
  assert.equal(culprit({ platform: "node", exception }), "checkout(shop.orders)");
  assert.equal(culprit({ platform: "cocoa", exception }), "checkout");
  assert.equal(
    culprit({ exception: { type: "E" }, request: { url: "http://h/a?b" } }),
    "http://h/a",
  );
  assert.equal(culprit({ message: "x" }), "");
});

Deno.test("metadataOf() names type, value, file and function of the exception that names the issue", () => {
  const exception = { type: "E", value: "v".repeat(5_000), stacktrace: { frames } };
  assert.deepEqual(metadataOf(normalized({ exception })), {
    type: "E",
    value: "v".repeat(1_021) + "...",
    filename: "orders.py",
    function: "checkout",
  });
});
