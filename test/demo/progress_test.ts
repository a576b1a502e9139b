import assert from "node:assert/strict";
import { Progress } from "../../demo/send.ts";

/** What is written while 40 are done, one each ten seconds. */
function written(isTerminal: boolean): string[] {
  const lines: string[] = [];
  let now = 0;
  const progress = new Progress(40, (text) => lines.push(text), isTerminal, () => now);
  for (let done = 0; done < 40; done++) {
    now += 10_000;
    progress.step();
  }
  return lines;
}

Deno.test("the demo says how far it is and how long it still takes, a line for each tenth in a log", () => {
  const lines = written(false);
  assert.equal(lines.length, 10);
  assert.equal(lines[0], "4 of 40, about 6 min left\n");
  assert.equal(lines[8], "36 of 40, about 40 s left\n");
  assert.equal(lines[9], "40 of 40\n");
});

Deno.test("on a terminal the demo's progress is one line that changes", () => {
  const lines = written(true);
  assert.equal(lines.length, 40);
  assert.ok(lines.every((line) => line.startsWith("\r\x1b[K")));
  assert.equal(lines.filter((line) => line.includes("\n")).length, 1);
});
