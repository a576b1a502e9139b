import assert from "node:assert/strict";
import { intakeState } from "../../lib/intake_state.ts";

const EMPTY = {
  waitingBytes: 0,
  waitingObjects: 0,
  oldestWaitingSince: null,
  maxBytes: 100,
  setAsideObjects: 0,
  lastReplayAt: null,
};
const FULL = { ...EMPTY, waitingBytes: 100 };

function away(...failing: string[]) {
  return { ok: false, failing } as const;
}

Deno.test("the intake works as long as keys can be read and records written", () => {
  assert.equal(intakeState({ ok: true }, EMPTY), "ok");
  assert.equal(intakeState({ ok: true }, FULL), "ok");
  assert.equal(intakeState(away("objects"), null), "ok");
});

Deno.test("without Postgres it spools until the spool is full or away", () => {
  assert.equal(intakeState(away("postgres"), EMPTY), "spooling");
  assert.equal(intakeState(away("postgres"), FULL), "refusing");
  assert.equal(intakeState(away("postgres", "objects"), EMPTY), "refusing");
  assert.equal(intakeState(away("postgres"), null), "refusing");
});

Deno.test("without keys nothing is taken", () => {
  assert.equal(intakeState(away("kv"), EMPTY), "refusing");
});
