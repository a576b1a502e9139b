import assert from "node:assert/strict";
import { newEventId, readEventId, readSpanId } from "@/lib/formats/ids.ts";

const ID = "0123456789abcdef0123456789abcdef";

Deno.test("readEventId() reads ids in any case, with and without hyphens", () => {
  for (const form of [ID, ID.toUpperCase(), "01234567-89ab-cdef-0123-456789abcdef", ` ${ID}\n`]) {
    assert.equal(readEventId(form), ID, form);
  }
});

Deno.test("readEventId() is undefined for what is no id", () => {
  const wrong = [
    null,
    undefined,
    7,
    {},
    [ID],
    "",
    "0".repeat(32),
    ID + "0",
    ID.slice(1),
    "g".repeat(32),
  ];
  for (const value of wrong) assert.equal(readEventId(value), undefined, String(value));
  assert.equal(readEventId("-".repeat(1_000_000) + ID), undefined);
});

Deno.test("readSpanId() reads 16 hex digits", () => {
  assert.equal(readSpanId("BEC27B5BB603B6F5"), "bec27b5bb603b6f5");
  for (const value of ["", "0".repeat(16), ID, null]) assert.equal(readSpanId(value), undefined);
});

Deno.test("newEventId() makes a new id each time", () => {
  const ids = Array.from({ length: 100 }, newEventId);
  assert.equal(new Set(ids).size, 100);
  for (const id of ids) assert.equal(readEventId(id), id);
});
