import assert from "node:assert/strict";
import { wholeItems } from "@/lib/ingest/protocols/sentry.ts";
import { parseEnvelope } from "@/lib/formats/sentry/envelope.ts";

const EVENT = `{"type":"event"}\n{"message":"a"}\n`;
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Types, payloads and what is lost of an envelope that was cut off there. */
function cutOff(envelope: string) {
  const whole = wholeItems(bytesOf(envelope));
  if (whole === null || whole.bytes === null) return null;
  const { items, lost } = parseEnvelope(whole.bytes);
  assert.equal(lost, 0);
  const texts = items.map(({ type, payload }) => `${type} ${new TextDecoder().decode(payload)}`);
  return { texts, lost: whole.lost };
}

Deno.test("items before the cut are whole, and what stands at the cut is named", () => {
  const texts = [`event {"message":"a"}`];
  const cases = {
    [`{"type":"attachment","length":9}\nhello`]: "attachment",
    [`{"type":"transaction"}\n{"spans":[{}`]: "transaction",
    [`{"type":"session","length":2}`]: "session",
    [`{"type":"sess`]: "unknown",
    "": "unknown",
  };
  for (const [rest, category] of Object.entries(cases)) {
    const expected = { texts, lost: { category, quantity: 1 } };
    assert.deepEqual(cutOff(`{}\n${EVENT}${rest}`), expected, rest);
  }
});

Deno.test("an item of known length that ends at the cut is whole", () => {
  const { texts } = cutOff(`{}\n{"type":"attachment","length":2}\nhi`) ?? {};
  assert.deepEqual(texts, ["attachment hi"]);
});

Deno.test("of a container that is cut the elements before the cut are whole", () => {
  const log = `{"body":"a \\"]}","attributes":{"n":{"value":[1]}}}`;
  const head = `{"type":"log","item_count":40,"length":4000}\n`;
  const { texts, lost } =
    cutOff(`{}\n${EVENT}${head}{"version":2,"items":[${log},${log},{"body"`) ?? {};
  assert.deepEqual(texts?.[1], `log {"version":2,"items":[${log},${log}]}`);
  assert.deepEqual(lost, { category: "log_item", quantity: 38 });
  assert.equal(cutOff(`{}\n${head}{"version":2,"items":[{"body":"a`), null);
});

Deno.test("nothing is whole of what ends before its first item does", () => {
  for (const start of ["", `{"event`, `{}`, `{}\n`, `{}\n{"type":"event"}\n{"a`, "nonsense\n"]) {
    assert.equal(cutOff(start), null, start);
  }
});
