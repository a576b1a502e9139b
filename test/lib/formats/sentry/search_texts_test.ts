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

Deno.test("values and stacks, with the lines of the application, are texts in lower case", () => {
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
      "0no cart",
      [
        "1pay\nshop/cart.py\nshop.cart\n/srv/shop/cart.py\n",
        "27",
        "1pay\nshop/cart.py\nshop.cart\n/srv/shop/cart.py\n",
        "27",
        "1a b\n\n\n\n",
      ].join("\0"),
      "0user 7",
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
  assert.ok(texts.length <= 12);
  const each = texts.flatMap((together) => together.split("\0"));
  assert.ok(each.length <= 12 * 120);
  assert.ok(each.every((text) => text.length <= 1_005));
});
