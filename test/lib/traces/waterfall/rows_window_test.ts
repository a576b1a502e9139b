import assert from "node:assert/strict";
import { ROW_PX, rowsWindow, scrollToShow } from "@/lib/traces/waterfall/live_waterfall.tsx";

Deno.test("every row in sight is drawn, and few others", () => {
  for (const scrollTop of [0, 5, 1_000, 123_456, 240_000 - 700]) {
    const { first, last } = rowsWindow(scrollTop, 700, 10_000);
    assert.ok(first * ROW_PX <= scrollTop, `${scrollTop}`);
    assert.ok(last * ROW_PX >= Math.min(scrollTop + 700, 240_000), `${scrollTop}`);
    assert.ok(last - first <= 70 && first >= 0 && last <= 10_000);
  }
});

Deno.test("rows that became fewer while one was far down are drawn all the same", () => {
  const { first, last } = rowsWindow(200_000, 700, 10);
  assert.deepEqual([first, last], [0, 10]);
});

Deno.test("a row in sight needs no scrolling, a near one little, a far one comes to the middle", () => {
  assert.equal(scrollToShow(5, 0, 700), 0);
  assert.equal(scrollToShow(9, 10 * ROW_PX, 700), 9 * ROW_PX);
  assert.equal(scrollToShow(29, 0, 700), 30 * ROW_PX - (700 - ROW_PX));
  assert.equal(scrollToShow(1_000, 0, 700), 1_000 * ROW_PX - 338);
  assert.equal(scrollToShow(0, 5_000, 700), 0);
});
