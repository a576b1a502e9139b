import assert from "node:assert/strict";
import { intakeState } from "@/lib/server/health.ts";

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
  assert.equal(intakeState({ ok: true }, EMPTY, false), "ok");
  assert.equal(intakeState({ ok: true }, FULL, false), "ok");
  assert.equal(intakeState(away("objects"), null, false), "ok");
});

Deno.test("without Postgres it spools until the spool is full or away", () => {
  assert.equal(intakeState(away("postgres"), EMPTY, false), "spooling");
  assert.equal(intakeState(away("postgres"), FULL, false), "refusing");
  assert.equal(intakeState(away("postgres", "objects"), EMPTY, false), "refusing");
  assert.equal(intakeState(away("postgres"), null, false), "refusing");
});

Deno.test("without keys nothing is taken", () => {
  assert.equal(intakeState(away("kv"), EMPTY, false), "refusing");
});

Deno.test("it refuses while the disk has no room, whatever the stores say", () => {
  assert.equal(intakeState({ ok: true }, EMPTY, true), "refusing");
});
