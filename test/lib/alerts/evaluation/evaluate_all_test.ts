import assert from "node:assert/strict";
import { putAside } from "@/lib/accounts/deleted_projects.ts";
import {
  deleteRule,
  enableRule,
  findRule,
  listRules,
  muteRule,
  updateRule,
} from "@/lib/alerts/rules.ts";
import { saveEvaluations } from "@/lib/alerts/evaluation/stored_states.ts";
import { deleteChannel } from "@/lib/alerts/channels/channels.ts";
import { evaluateAll, ProjectShares } from "@/lib/alerts/evaluation/evaluate_all.ts";
import { evaluateRule } from "@/lib/alerts/evaluation/evaluate_rule.ts";
import { alertInput } from "@/test/support/alert_input.ts";
import { type AlertWorld, alertWorld } from "@/test/support/alert_world.ts";
import { logLines } from "@/test/support/log_lines.ts";

/** What happened to a rule, as `from>to level notice`. */
async function story(world: AlertWorld, rule: Awaited<ReturnType<AlertWorld["rule"]>>) {
  const entries = await world.history(rule);
  return entries.map(({ from, to, level, notice }) =>
    [`${from}>${to}`, level, notice].filter((word) => word !== null).join(" ")
  );
}

Deno.test("an alert fires once while its condition holds, and once more when it is over", async () => {
  await using world = await alertWorld();
  const rule = await world.rule();
  await world.happen(1.5, 6);
  await world.happen(2.5, 9);
  await world.judgeAll(1, 5);

  assert.deepEqual(await story(world, rule), ["ok>firing critical sent", "firing>ok sent"]);
  const [firing, resolved, ...more] = await world.notices();
  assert.equal(more.length, 0);
  assert.equal(firing?.state, "firing");
  assert.equal(firing?.severity, "critical");
  assert.equal(firing?.title, "Number of errors is 6");
  assert.equal(firing?.projectName, "Shop");
  assert.equal(
    firing?.ruleUrl,
    `https://watch.test/projects/${world.projectId}/alerts/${rule.ruleId}`,
  );
  assert.match(firing?.url ?? "", /\/issues\?start=/);
  assert.equal(resolved?.state, "resolved");
  assert.equal(resolved?.incidentKey, firing?.incidentKey);
  const [state] = await world.states(rule);
  assert.equal(state?.status, "ok");
  assert.equal(state?.value, 0);
  assert.deepEqual(state?.evaluatedAt, world.at(5));
});

Deno.test("the same windows are judged once, whoever judges them, and however often", async () => {
  await using world = await alertWorld();
  const rule = await world.rule();
  await world.happen(1.5, 6);
  await Promise.all([world.judge(2), world.judge(2), world.judge(2)]);
  await world.judge(2);

  assert.deepEqual(await story(world, rule), ["ok>firing critical sent"]);
  assert.equal((await world.notices()).length, 1);
});

Deno.test("a warning may become critical and the other way round; recovery has a level of its own", async () => {
  await using world = await alertWorld();
  const condition = { comparison: ">", warning: 2, critical: 5, recovery: 1 } as const;
  const rule = await world.rule({ condition });
  for (const [minute, times] of [[0.5, 3], [1.5, 6], [2.5, 3], [3.5, 2]] as const) {
    await world.happen(minute, times);
  }
  await world.judgeAll(1, 6);

  assert.deepEqual(
    (await world.history(rule)).map(({ at, to, level }) => [at, to, level]),
    [
      [world.at(1), "firing", "warning"],
      [world.at(2), "firing", "critical"],
      [world.at(3), "firing", "warning"],
      [world.at(5), "ok", null],
    ],
  );
});

Deno.test("a condition that must hold for minutes is pending before it fires", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({ forMinutes: 2 });
  for (const minute of [0.5, 2.5, 3.5, 4.5]) await world.happen(minute, 6);
  await world.judgeAll(1, 5);

  assert.deepEqual(await story(world, rule), [
    "ok>pending critical none",
    "pending>ok none",
    "ok>pending critical none",
    "pending>firing critical sent",
  ]);
  assert.deepEqual((await world.history(rule)).at(-1)?.at, world.at(5));
});

Deno.test("after a standstill all missed minutes are in the history, and only the outcome is told", async () => {
  await using world = await alertWorld();
  const over = await world.rule({ name: "over" });
  await world.judge(1);
  await world.happen(2.5, 6);
  await world.happen(5.5, 6);
  await world.judge(8);

  assert.deepEqual(
    (await world.history(over)).map(({ at, to, notice }) => [at, to, notice]),
    [
      [world.at(3), "firing", "none"],
      [world.at(4), "ok", "none"],
      [world.at(6), "firing", "none"],
      [world.at(7), "ok", "none"],
    ],
  );
  assert.deepEqual(await world.notices(), []);

  await world.happen(12.5, 6);
  await world.judge(13);
  assert.deepEqual((await world.notices()).map(({ state }) => state), ["firing"]);
});

Deno.test("what comes late fires an alert that had been judged too early, once", async () => {
  await using world = await alertWorld();
  const rule = await world.rule();
  await world.judgeAll(1, 3);
  await world.happen(2.5, 6, { receivedAt: world.at(4) });
  await world.judgeAll(4, 9);

  assert.deepEqual(await story(world, rule), ["ok>firing critical sent", "firing>ok sent"]);
  const [first] = await world.history(rule);
  assert.deepEqual(first?.at, world.at(5));
  assert.equal(first?.value, 6);
});

Deno.test("what flaps is told of twice, and once more when it stays", async () => {
  await using world = await alertWorld();
  const rule = await world.rule();
  for (const minute of [1.5, 3.5, 5.5, 7.5]) await world.happen(minute, 6);
  await world.judgeAll(1, 12);
  assert.deepEqual((await world.notices()).map(({ state }) => state), ["firing", "resolved"]);
  assert.deepEqual((await story(world, rule)).slice(2, 4), [
    "ok>firing critical flapping",
    "firing>ok none",
  ]);

  for (let minute = 12; minute < 46; minute++) await world.happen(minute + 0.5, 6);
  await world.judgeAll(13, 46);
  assert.deepEqual((await world.notices()).map(({ state }) => state), [
    "firing",
    "resolved",
    "firing",
  ]);
  assert.deepEqual((await story(world, rule)).slice(-2), [
    "ok>firing critical flapping",
    "firing>firing critical sent",
  ]);
});

Deno.test("what is muted is told of afterwards if it is still so", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({ mutedUntil: world.at(5) });
  for (const minute of [1.5, 3.5, 4.5, 5.5]) await world.happen(minute, 6);
  await world.judgeAll(1, 7);

  assert.deepEqual(await story(world, rule), [
    "ok>firing critical muted",
    "firing>ok none",
    "ok>firing critical muted",
    "firing>firing critical sent",
    "firing>ok sent",
  ]);
});

Deno.test("outside its schedule an alert keeps its states and tells nobody", async () => {
  await using world = await alertWorld();
  const today = world.at(2).getUTCDay();
  const rule = await world.rule({
    schedule: { days: [(today + 3) % 7], fromMinute: 0, toMinute: 1440, timeZone: "UTC" },
  });
  await world.happen(1.5, 6);
  await world.judge(2);

  assert.deepEqual(await story(world, rule), ["ok>firing critical schedule"]);
  assert.deepEqual(await world.notices(), []);
});

Deno.test("a rule without channels keeps its history", async () => {
  await using world = await alertWorld();
  const rule = await world.rule({ channelIds: [] });
  await world.happen(1.5, 6);
  await world.judgeAll(2, 4);
  assert.deepEqual(await story(world, rule), [
    "ok>firing critical no_channel",
    "firing>ok no_channel",
  ]);
});

Deno.test("a channel that was deleted is not said to have been told", async () => {
  await using world = await alertWorld();
  const { sql, projectId, channelId } = world;
  const rule = await world.rule();
  await deleteChannel(sql, projectId, channelId);
  await world.happen(1.5, 6);
  await world.judge(2);
  assert.deepEqual(await story(world, rule), ["ok>firing critical no_channel"]);
});

Deno.test("a rule that is switched off or deleted ends what it has told of", async () => {
  await using world = await alertWorld();
  const { sql, projectId } = world;
  const off = await world.rule({ name: "off" });
  const deleted = await world.rule({ name: "deleted" });
  await world.happen(1.5, 6);
  await world.judge(2);
  await enableRule(sql, projectId, off.ruleId, false, "");
  await deleteRule(sql, projectId, deleted.ruleId);
  await world.judge(3);
  await world.judge(4);

  const told = (await world.notices()).map(({ state, ruleName }) => `${ruleName} ${state}`);
  assert.deepEqual(told.toSorted(), [
    "deleted firing",
    "deleted resolved",
    "off firing",
    "off resolved",
  ]);
  assert.equal((await world.states(off)).length, 0);
  const kept = await sql`select 1 from alert_history where rule_id = ${deleted.ruleId}`;
  assert.equal(kept.length, 0);
  assert.equal(await findRule(sql, projectId, deleted.ruleId), null);
});

Deno.test("an evaluation of what a rule was before it was changed is not kept", async () => {
  await using world = await alertWorld();
  const { sql, projectId, services } = world;
  const rule = await world.rule();
  await world.happen(1.5, 6);
  const input = alertInput({ condition: { ...rule.condition, critical: 100 } });
  const changed = await updateRule(sql, projectId, rule.ruleId, input, "ann@example.test");
  assert.equal(changed?.updatedBy, "ann@example.test");
  const { baseUrl, noticeOf } = services;
  const place = { projectName: "Shop", baseUrl, apdexMs: 300, noticeOf };
  const evaluation = await evaluateRule(services, rule, [], place, world.at(2), world.at(2));
  assert.ok(evaluation !== null && evaluation.notices.length === 1);
  await saveEvaluations(sql, [evaluation]);

  assert.equal((await world.states(rule)).length, 0);
  assert.deepEqual(await world.notices(), []);
  await world.judge(3);
  assert.deepEqual((await world.states(rule)).map(({ status }) => status), ["ok"]);
});

Deno.test("a rule that is muted or switched off keeps what somebody else changes at the same time", async () => {
  await using world = await alertWorld();
  const { sql, projectId } = world;
  const { ruleId } = await world.rule({ name: "before" });
  for (let round = 0; round < 20; round++) {
    const name = `name ${round}`;
    const change = () => updateRule(sql, projectId, ruleId, alertInput({ name }), "");
    const until = new Date("2030-01-01T00:00:00Z");
    await Promise.all([
      muteRule(sql, projectId, ruleId, until, ""),
      change(),
      enableRule(sql, projectId, ruleId, round % 2 === 0, ""),
    ]);
    assert.equal((await findRule(sql, projectId, ruleId))?.name, name);
  }
});

Deno.test("a rule that fails keeps the reason, and the others are judged", async () => {
  const { log } = logLines();
  await using world = await alertWorld(log);
  const query = {
    id: "a",
    metric: "x",
    kind: null,
    unit: null,
    aggregation: "avg",
    top: 10,
  } as const;
  const broken = await world.rule({
    name: "broken",
    source: {
      kind: "metric",
      queries: [{ ...query, filter: [{ label: "a", operator: "=~", value: "(" }], groupBy: [] }],
      formulas: [],
      judged: "a",
    },
  });
  const whole = await world.rule();
  await world.happen(1.5, 6);
  await world.judge(2);

  const stored = await findRule(world.sql, world.projectId, broken.ruleId);
  assert.notEqual(stored?.lastError, "");
  assert.deepEqual(await story(world, whole), ["ok>firing critical sent"]);
});

Deno.test("a rule that cannot be ended does not keep others from being judged", async () => {
  const { log, lines } = logLines();
  await using world = await alertWorld(log);
  const stuck = await world.rule({ name: "stuck" });
  await world.happen(1.5, 6);
  await world.judge(2);
  await enableRule(world.sql, world.projectId, stuck.ruleId, false, "");
  const whole = await world.rule();
  await world.happen(2.5, 6);
  const { noticeOf } = world.services;
  await world.judge(3, {
    ...world.services,
    noticeOf(rule, ...rest) {
      if (rule.name === "stuck") throw new Error("there are no words");
      return noticeOf(rule, ...rest);
    },
  });
  assert.deepEqual(await story(world, whole), ["ok>firing critical sent"]);
  assert.ok(lines.some((line) => JSON.stringify(line).includes("cannot end an alert")));
  await world.judge(4);
  assert.equal((await world.states(stuck)).length, 0);
});

Deno.test("the alerts of a project that was deleted are left alone", async () => {
  await using world = await alertWorld();
  const rule = await world.rule();
  await world.happen(1.5, 6);
  await putAside(world.services.kv, world.projectId, "ann");
  await world.judge(2);
  assert.deepEqual(await world.history(rule), []);
});

Deno.test("alerts of a project that has had its share wait for the next time, those of longest ago first", async () => {
  await using world = await alertWorld();
  for (let each = 1; each <= 5; each++) await world.rule({ name: `rule ${each}` });
  const judged = async () => {
    const rules = await listRules(world.sql, world.projectId);
    return rules.filter(({ evaluatedUntil }) => evaluatedUntil !== null).length;
  };
  const { signal } = new AbortController();
  const now = new Date(world.at(1).getTime() + 5_000);
  const hurried = () => new ProjectShares({ projectMs: 0, allMs: 0 });

  await evaluateAll(world.services, now, signal, hurried());
  const first = await judged();
  assert.ok(first > 0 && first < 5, `${first} of 5`);
  await evaluateAll(world.services, now, signal, hurried());
  assert.equal(await judged(), 5);
});

Deno.test("alerts of a project that has had its share are judged after those of others", async () => {
  await using world = await alertWorld();
  for (let each = 1; each <= 5; each++) await world.rule({ name: `rule ${each}` });
  const { signal } = new AbortController();
  const now = new Date(world.at(1).getTime() + 5_000);
  const shares = new ProjectShares({ projectMs: 0, allMs: 60_000 });

  await evaluateAll(world.services, now, signal, shares);
  const rules = await listRules(world.sql, world.projectId);
  assert.ok(rules.every(({ evaluatedUntil }) => evaluatedUntil?.getTime() === +world.at(1)));
});

Deno.test("a rule that takes long to make up for what was missed goes on the next time", async () => {
  await using world = await alertWorld();
  await world.rule();
  await world.judge(1);
  const [rule] = await listRules(world.sql, world.projectId);
  assert.ok(rule);
  const { services } = world;
  const place = {
    projectName: "Shop",
    baseUrl: "https://watch.test",
    apdexMs: 300,
    noticeOf: services.noticeOf,
  };
  const latest = world.at(8);

  const part = await evaluateRule(services, rule, [], place, latest, latest, 0);
  assert.deepEqual(part?.until, world.at(2));
  const whole = await evaluateRule(services, rule, [], place, latest, latest);
  assert.deepEqual(whole?.until, latest);
});
