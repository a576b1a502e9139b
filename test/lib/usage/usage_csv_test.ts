import assert from "node:assert/strict";
import type { UsageRow } from "@/lib/usage/counts.ts";
import { usageCsv } from "@/lib/usage/load_usage.ts";

const ROW: UsageRow = {
  day: "2026-11-03",
  projectId: "7",
  category: "error",
  kind: "invalid",
  reason: "no_event",
  quantity: 12,
};

function cells(row: Partial<UsageRow>, name = "Shop"): string {
  const [, line] = usageCsv([{ ...ROW, ...row }], new Map([["7", name]])).split("\r\n");
  return line ?? "";
}

Deno.test("a line of the download has day, project, category, outcome, reason, quantity, name", () => {
  assert.equal(cells({}), "2026-11-03,7,error,invalid,no_event,12,Shop");
  assert.equal(cells({ projectId: "8" }), "2026-11-03,8,error,invalid,no_event,12,");
});

Deno.test("commas, quotes and line ends stay within their cell", () => {
  assert.equal(
    cells({}, 'Shop, "old"\n'),
    '2026-11-03,7,error,invalid,no_event,12,"Shop, ""old""\n"',
  );
});

Deno.test("what a spreadsheet would take for a formula is text", () => {
  for (const start of ["=", "+", "-", "@", " =", "\t"]) {
    assert.ok(cells({ reason: `${start}1` }).includes(`,'${start}1,`), start);
    assert.ok(cells({}, `${start}1`).endsWith(`,'${start}1`), start);
  }
});
