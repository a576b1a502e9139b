import assert from "node:assert/strict";
import { DecodeTurns } from "@/lib/ingest/decode_turns.ts";

/** Asks for so many turns at once; tells in which order they come. */
async function order(turns: DecodeTurns, asked: readonly string[], bytes = 1): Promise<string> {
  const served: string[] = [];
  await Promise.all(asked.map(async (projectId) => {
    await turns.take(projectId, bytes);
    served.push(projectId);
  }));
  return served.join("");
}

Deno.test("a body is taken at once while few come", () => {
  const turns = new DecodeTurns();
  assert.equal(turns.take("1", 12_000), undefined);
  assert.equal(turns.take("2", 12_000), undefined);
});

Deno.test("a project that sends a few waits for a few of one that sends many, not for all of them", async () => {
  const many = "1".repeat(40);
  const served = await order(new DecodeTurns(), [...many, "2", "2", "3"]);
  const rest = served.slice(4);
  assert.equal(served.length, 43);
  assert.equal(rest.slice(0, 5), "12312", "by turns");
});

Deno.test("large bodies weigh more than small ones", async () => {
  const turns = new DecodeTurns();
  assert.equal(turns.take("1", 200_000), undefined);
  const waits = turns.take("2", 1);
  assert.ok(waits instanceof Promise, "its turn is the next one of the event loop");
  await waits;
});
