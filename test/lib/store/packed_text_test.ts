import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { packText, unpackText } from "@/lib/store/values.ts";

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, "hex"));
}

Deno.test("a text is the same after packing", () => {
  for (const text of ["", "{}", 'a 💥 \\ " \u2028 \x1e', "x".repeat(1_000_000)]) {
    assert.equal(unpackText(bytesOf(packText(text))), text);
  }
});

Deno.test("packing makes long texts small", () => {
  assert.ok(packText(JSON.stringify({ frames: Array(500).fill("at main.ts:12") })).length < 200);
});

Deno.test("text of before packing is read as it is", () => {
  assert.equal(unpackText(new TextEncoder().encode('{"message":"ü"}')), '{"message":"ü"}');
});
