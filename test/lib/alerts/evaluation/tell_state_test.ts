import assert from "node:assert/strict";
import { type AlertLevel, type GroupState, newState } from "@/lib/alerts/rule.ts";
import { tellState } from "@/lib/alerts/evaluation/group_states.ts";

const BEGINNING = Date.UTC(2026, 10, 20, 12);
const RULE = { channelIds: ["hook"], schedule: null, mutedUntil: null };

/** What becomes of changes, each with its minute; null is back to normal. */
function outcomesOf(...changes: readonly [minute: number, level: AlertLevel | null][]): string[] {
  let state: GroupState = newState("", new Date(BEGINNING));
  return changes.map(([minute, level]) => {
    const now = new Date(BEGINNING + minute * 60_000);
    const status = level === null ? "ok" : "firing";
    const telling = tellState(RULE, { ...state, status, level, changedAt: now }, now);
    state = telling.state;
    return telling.outcome;
  });
}

Deno.test("of what comes and goes within half an hour channels hear twice", () => {
  assert.deepEqual(
    outcomesOf([0, "critical"], [2, null], [4, "critical"], [6, null]),
    ["sent", "sent", "flapping", "none"],
  );
});

Deno.test("the first word of critical is never held back", () => {
  assert.deepEqual(
    outcomesOf([0, "warning"], [2, null], [4, "critical"]),
    ["sent", "sent", "sent"],
  );
});

Deno.test("the end of what got worse on its way is told at once", () => {
  assert.deepEqual(
    outcomesOf([0, "warning"], [2, "critical"], [4, null]),
    ["sent", "sent", "sent"],
  );
});

Deno.test("what goes up and down between two levels is held back as well", () => {
  assert.deepEqual(
    outcomesOf([0, "warning"], [2, "critical"], [4, "warning"], [6, "critical"], [8, "warning"]),
    ["sent", "sent", "sent", "flapping", "none"],
  );
});
