import assert from "node:assert/strict";
import { judge, type Seen, type Verdict } from "@/lib/monitors/uptime/judge.ts";

const START = Date.UTC(2026, 10, 23, 12);
const at = (seconds: number) => new Date(START + seconds * 1_000);

type Judged = Parameters<typeof judge>[0];

function fresh(fields: Partial<Judged> = {}): Judged {
  return {
    monitorId: "4f6f0b6e-3c2f-4d0e-9d4c-1c8f5f0a0001",
    intervalSec: 60,
    failureThreshold: 3,
    recoveryThreshold: 2,
    state: "up",
    since: at(-3_600),
    failures: 0,
    successes: 10,
    turningSince: null,
    isCutOff: false,
    incidentId: null,
    checkedAt: at(-60),
    countedUntil: at(-60),
    ...fields,
  };
}

function seen(status: Seen["status"], seconds: number): Seen {
  return { status, at: at(seconds), endedAt: at(seconds + 1) };
}

/** Judges one check after the other, as they would be stored. */
function story(
  begin: Judged,
  checks: readonly Seen[],
  where = { isMaintenance: false, isCutOff: false },
): { verdicts: Verdict[]; end: Judged } {
  let monitor = begin;
  const verdicts = checks.map((check) => {
    const verdict = judge(monitor, check, where);
    monitor = {
      ...monitor,
      ...verdict,
      checkedAt: check.at,
      incidentId: verdict.incident === "opens"
        ? "incident"
        : verdict.incident === "closes"
        ? null
        : monitor.incidentId,
    };
    return verdict;
  });
  return { verdicts, end: monitor };
}

const kinds = (verdicts: readonly Verdict[]) =>
  verdicts.flatMap(({ spans }) =>
    spans.map(({ kind, start, end }) => [
      kind,
      (start.getTime() - START) / 1_000,
      (end.getTime() - START) / 1_000,
    ])
  );

Deno.test("judge() opens an incident with the third failure in a row, from the first one on", () => {
  const { verdicts, end } = story(fresh(), [seen("down", 0), seen("down", 11), seen("down", 22)]);
  assert.deepEqual(verdicts.map(({ incident, state }) => [incident, state]), [
    ["none", "up"],
    ["none", "up"],
    ["opens", "down"],
  ]);
  assert.deepEqual(verdicts.slice(0, 2).map(({ dueAt }) => dueAt), [at(10), at(21)]);
  assert.deepEqual(end.since, at(0));
  assert.deepEqual(kinds(verdicts), [["up", -60, 0], ["down", 0, 22]]);
});

Deno.test("judge() has a target that hangs tried again at once, so that a time limit does not put off what is certain", () => {
  const hangs = (seconds: number): Seen => ({
    status: "down",
    at: at(seconds),
    endedAt: at(seconds + 12),
  });
  const { verdicts } = story(fresh(), [hangs(0), hangs(12), hangs(24)]);
  assert.deepEqual(verdicts.slice(0, 2).map(({ dueAt }) => dueAt), [at(12), at(24)]);
  assert.equal(verdicts[2]?.incident, "opens");
});

Deno.test("judge() takes one failure between successes for nothing", () => {
  const { verdicts } = story(fresh(), [seen("down", 0), seen("up", 11), seen("up", 60)]);
  assert.deepEqual(verdicts.map(({ incident }) => incident), ["none", "none", "none"]);
  assert.deepEqual(kinds(verdicts), [["up", -60, 11], ["up", 11, 60]]);
});

Deno.test("judge() ends an incident with the second success, at the first", () => {
  const down = fresh({ state: "down", incidentId: "incident", since: at(-600), successes: 0 });
  const { verdicts, end } = story(down, [seen("up", 0), seen("up", 11)]);
  assert.deepEqual(verdicts.map(({ incident, state }) => [incident, state]), [
    ["goes_on", "down"],
    ["closes", "up"],
  ]);
  assert.deepEqual(end.since, at(0));
  assert.deepEqual(kinds(verdicts), [["down", -60, 0], ["up", 0, 11]]);
});

Deno.test("judge() counts what was missed as not measured, and does not add failures over it", () => {
  const began = story(fresh(), [seen("down", 0), seen("down", 11)]);
  const { verdicts, end } = story(began.end, [seen("down", 7_200)]);
  assert.equal(verdicts[0]?.incident, "none");
  assert.equal(end.failures, 1);
  const after = story(end, [seen("up", 7_211)]);
  assert.deepEqual(kinds([...verdicts, ...after.verdicts]), [
    ["up", -60, 71],
    ["unknown", 71, 7_200],
    ["up", 7_200, 7_211],
  ]);
});

Deno.test("judge() counts the time after a pause of the service as not measured", () => {
  const { verdicts } = story(fresh(), [seen("up", 3_600)]);
  assert.deepEqual(kinds(verdicts), [["up", -60, 0], ["unknown", 0, 3_600]]);
});

Deno.test("judge() opens nothing in a maintenance window, and counts the time as such", () => {
  const where = { isMaintenance: true, isCutOff: false };
  const { verdicts, end } = story(fresh(), [0, 60, 120, 180].map((s) => seen("down", s)), where);
  assert.deepEqual(verdicts.map(({ incident }) => incident), ["none", "none", "none", "none"]);
  assert.equal(end.state, "up");
  assert.deepEqual(kinds(verdicts)[0], ["maintenance", -60, 0]);
});

Deno.test("judge() knows nothing while this server has no network", () => {
  const where = { isMaintenance: false, isCutOff: true };
  const { verdicts, end } = story(fresh(), [0, 11, 22, 60].map((s) => seen("down", s)), where);
  assert.deepEqual(verdicts.map(({ incident }) => incident), ["none", "none", "none", "none"]);
  assert.equal(end.state, "unknown");
  const back = story(end, [seen("up", 120)]);
  assert.equal(back.end.state, "up");
  assert.equal(back.end.isCutOff, false);
  assert.deepEqual(kinds(back.verdicts), [["unknown", 60, 120]]);
});

Deno.test("judge() goes on when the clock jumps back", () => {
  const { verdicts } = story(fresh({ checkedAt: at(3_600), countedUntil: at(3_600) }), [
    seen("up", 0),
    seen("up", 60),
  ]);
  assert.deepEqual(kinds(verdicts), [["up", 0, 60]]);
  const next = verdicts[0]?.dueAt.getTime() ?? 0;
  assert.ok(next > START && next <= START + 61_000);
});

Deno.test("judge() tells degraded from down", () => {
  const { verdicts } = story(fresh(), [seen("degraded", 0), seen("up", 60)]);
  assert.deepEqual(verdicts.map(({ state, incident }) => [state, incident]), [
    ["degraded", "none"],
    ["up", "none"],
  ]);
});
