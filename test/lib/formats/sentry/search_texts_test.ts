import assert from "node:assert/strict";
import { searchTexts } from "@/lib/formats/sentry/search_texts.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";

function event(fields: Partial<NormalizedEvent>): NormalizedEvent {
  return {
    event_id: "0".repeat(32),
    type: "error",
    timestamp: 0,
    received: 0,
    platform: "python",
    level: "error",
    ...fields,
  };
}

Deno.test("values, frames and lines of the application are texts, each once and in lower case", () => {
  const frame = {
    function: "Pay",
    filename: "shop/Cart.py",
    module: "shop.cart",
    abs_path: "/srv/shop/Cart.py",
    lineno: 7,
    in_app: true,
  };
  const stacktrace = { frames: [frame, frame, { function: "a\nb", lineno: 9 }] };
  assert.deepEqual(
    searchTexts(event({
      exception: { values: [{ type: "E", value: "No Cart", stacktrace }, { value: "no cart" }] },
      logentry: { message: "user %s", formatted: "User 7" },
    })),
    [
      { kind: 0, text: "no cart" },
      { kind: 0, text: "user 7" },
      { kind: 1, text: "pay\nshop/cart.py\nshop.cart\n/srv/shop/cart.py\n" },
      { kind: 2, text: "7" },
      { kind: 1, text: "a b\n\n\n\n" },
    ],
  );
});

Deno.test("an event has a bounded number of texts, of bounded length", () => {
  const frames = Array.from(
    { length: 250 },
    (_, i) => ({ function: `${"f".repeat(500)}${i}`, lineno: i }),
  );
  const values = Array.from({ length: 100 }, (_, i) => ({
    value: `${i}${"é".repeat(5_000)}`,
    stacktrace: { frames },
  }));
  const texts = searchTexts(event({ exception: { values } }));
  assert.ok(texts.length <= 150);
  assert.ok(texts.every(({ text }) => text.length <= 1_004));
});
