import assert from "node:assert/strict";
import { entryTags } from "@/lib/formats/spans/entry_keys.ts";

Deno.test("short attributes of the application are tags, those that tell no difference are not", () => {
  assert.deepEqual(
    entryTags({
      "shop.tier": "gold",
      "cart.items": 3,
      "is.new": true,
      "browser.name": "Firefox",
      "url.full": "https://shop.example.com/7",
      "http.request.method": "GET",
      "sentry.op": "http.server",
      list: ["a"],
      empty: "",
      long: "x".repeat(201),
    }),
    [["shop.tier", "gold"], ["cart.items", "3"], ["is.new", "true"], ["browser.name", "Firefox"]],
  );
});

Deno.test("no more than 30 tags are taken", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key${i}`, i]));
  assert.equal(entryTags(many).length, 30);
});
