import assert from "node:assert/strict";
import fc from "fast-check";
import { contrast, inkOn, readableOn, readColour } from "@/lib/monitors/status/colours.ts";
import { styleOf } from "@/lib/monitors/status/pages/style.ts";

const colour = fc.integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

Deno.test("a colour is # and six hex digits, and nothing else", () => {
  assert.equal(readColour("#ABCdef"), "#abcdef");
  for (
    const text of [
      "",
      "red",
      "#fff",
      "#12345",
      "#1234567",
      "#12345g",
      " #123456",
      "#123456;",
      "#123456\n",
    ]
  ) {
    assert.equal(readColour(text), null, text);
  }
});

Deno.test("contrast is that of WCAG", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
  assert.equal(contrast("#0000ff", "#ffffff").toFixed(2), "8.59");
});

Deno.test("whatever colours somebody chooses, text can be read in both themes", () => {
  fc.assert(fc.property(colour, colour, (headColour, linkColour) => {
    assert.ok(contrast(inkOn(headColour), headColour) >= 4.5);
    const style = styleOf({ headColour, linkColour });
    const links = [...style.matchAll(/--link:(#[0-9a-f]{6})/g)].map(([, link = ""]) => link);
    assert.equal(links.length, 2);
    for (const background of ["#ffffff", "#f6f7f9"]) {
      assert.ok(contrast(links[0] ?? "", background) >= 4.5);
    }
    for (const background of ["#14171c", "#1d2128"]) {
      assert.ok(contrast(links[1] ?? "", background) >= 4.5);
    }
  }));
});

Deno.test("a colour that can be read stays as it is", () => {
  assert.equal(readableOn("#ffffff", "#1f2937"), "#1f2937");
  assert.notEqual(readableOn("#ffffff", "#ffe680"), "#ffe680");
});
