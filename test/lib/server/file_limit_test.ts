import assert from "node:assert/strict";
import { fileLimit, readFileLimit } from "@/lib/server/listen.ts";

Deno.test("the soft limit of open files is read from what Linux tells of a process", () => {
  const limits = (soft: string) =>
    "Limit                     Soft Limit           Hard Limit           Units     \n" +
    "Max processes             63422                63422                processes \n" +
    `Max open files            ${soft.padEnd(20)} 524288               files     \n`;
  assert.equal(readFileLimit(limits("2000")), 2_000);
  assert.equal(readFileLimit(limits("unlimited")), Infinity);
  assert.ok(readFileLimit("") > 0);
  assert.ok(fileLimit() > 0);
});
