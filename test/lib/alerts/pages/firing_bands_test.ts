import assert from "node:assert/strict";
import type { AlertState, AlertTransition } from "@/lib/alerts/rule.ts";
import { bandsOf, spansOf, spansOfPreview, timesFired } from "@/lib/alerts/pages/preview.tsx";

const at = (minute: number) => new Date(minute * 60_000);
const INTERVAL = { start: at(0), end: at(60) };

function change(
  group: string,
  minute: number,
  from: AlertTransition["from"],
  to: AlertTransition["to"],
  level: AlertTransition["level"] = null,
): AlertTransition {
  return { ruleId: "", group, at: at(minute), from, to, level, value: 1, notice: "sent" };
}

function state(
  group: string,
  since: number,
  status: AlertState["status"],
  level: AlertState["level"],
) {
  return { ruleId: "", group, status, level, value: 1, since: at(since), evaluatedAt: at(60) };
}

const minutes = (bands: ReturnType<typeof bandsOf>) =>
  bands.map(({ from, to, label }) => `${from / 60_000}-${to / 60_000} ${label}`);

Deno.test("the times between firing and recovery are shaded by their level", () => {
  const history = [
    change("", 10, "ok", "firing", "warning"),
    change("", 20, "firing", "firing", "critical"),
    change("", 25, "firing", "ok"),
  ];
  const spans = spansOf(history, [state("", 25, "ok", null)], INTERVAL);
  assert.deepEqual(minutes(bandsOf(spans)), ["10-20 warning", "20-25 critical"]);
});

Deno.test("what fired before the time begins, or still fires, reaches to its edges", () => {
  const history = [change("a", 5, "firing", "ok"), change("a", 50, "ok", "firing", "critical")];
  const spans = spansOf(history, [state("a", 50, "firing", "critical")], INTERVAL);
  assert.deepEqual(minutes(bandsOf(spans)), ["0-5 critical", "50-60 critical"]);
  const still = spansOf([], [state("a", -100, "firing", "warning")], INTERVAL);
  assert.deepEqual(minutes(bandsOf(still)), ["0-60 warning"]);
});

Deno.test("where several groups are at once, the worst of them shows", () => {
  const history = [
    change("a", 10, "ok", "firing", "warning"),
    change("b", 15, "ok", "firing", "critical"),
    change("b", 20, "firing", "ok"),
    change("a", 30, "firing", "no_data"),
    change("a", 40, "no_data", "ok"),
  ];
  assert.deepEqual(minutes(bandsOf(spansOf(history, [], INTERVAL))), [
    "10-15 warning",
    "15-20 critical",
    "20-30 warning",
    "30-40 no data",
  ]);
});

Deno.test("a preview counts how often groups begin to fire", () => {
  const preview = {
    times: [0, 1, 2, 3, 4],
    stepMs: 1,
    groups: [
      {
        group: "a",
        values: [0, 9, 9, 0, 9],
        statuses: ["ok", "firing", "firing", "ok", "firing"] as const,
        levels: [null, "critical", "critical", null, "critical"] as const,
      },
      {
        group: "b",
        values: [9, 0, 0, 0, 0],
        statuses: ["firing", "ok", "ok", "ok", "ok"] as const,
        levels: ["warning", null, null, null, null] as const,
      },
    ],
  };
  assert.equal(timesFired(preview), 3);
  const bands = bandsOf(spansOfPreview(preview)).map(({ from, to, label }) => [from, to, label]);
  assert.deepEqual(bands, [[0, 1, "warning"], [1, 3, "critical"], [4, 5, "critical"]]);
});
