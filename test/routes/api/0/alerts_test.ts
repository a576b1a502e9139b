import assert from "node:assert/strict";
import { findRule } from "@/lib/alerts/rules.ts";
import { noticeOf } from "@/lib/alerts/notices.ts";
import { evaluateAll } from "@/lib/alerts/evaluation/evaluate_all.ts";
import { latestEnd } from "@/lib/alerts/evaluation/evaluate_rule.ts";
import { alertInput } from "@/test/support/alert_input.ts";
import { testApi } from "@/test/support/api_people.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { waitFor } from "@/test/support/wait_for.ts";

interface AlertAnswer {
  readonly id: string;
  readonly name: string;
  readonly status: string | null;
  readonly windowMinutes: number;
  readonly mutedUntil: string | null;
  readonly condition: { readonly critical: number };
  readonly updatedBy: string;
}

interface StateAnswer {
  readonly group: string;
  readonly status: string;
  readonly level: string | null;
  readonly value: number | null;
  readonly dateEvaluated: string;
}

const PATH = "/projects/acme/acme-shop/alerts/";

Deno.test("an alert is made, read, changed in part, muted and deleted", async () => {
  await using api = await testApi();
  const { name, source, condition } = alertInput();
  const body = { name, source, condition, windowMinutes: 5 };
  const made = await api.call<AlertAnswer>("member", PATH, { method: "POST", body });
  assert.equal(made.status, 201);
  assert.deepEqual([made.body.name, made.body.status, made.body.windowMinutes], [name, null, 5]);
  const path = `${PATH}${made.body.id}/`;

  const changed = await api.call<AlertAnswer>("owner", path, {
    method: "PUT",
    body: { name: "New" },
  });
  assert.deepEqual([changed.body.name, changed.body.condition], ["New", condition]);
  assert.equal(changed.body.updatedBy, api.owner.email);
  const until = "2026-12-24T18:00:00.000Z";
  const muted = await api.call<AlertAnswer>("member", `${path}mute/`, {
    method: "POST",
    body: { until },
  });
  assert.equal(muted.body.mutedUntil, until);
  const loud = await api.call<AlertAnswer>("member", `${path}mute/`, { method: "POST", body: {} });
  assert.equal(loud.body.mutedUntil, null);
  for (const noTime of ["soon", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"]) {
    const mute = { method: "POST", body: { until: noTime } };
    const change = { method: "PUT", body: { mutedUntil: noTime } };
    assert.equal((await api.call("member", `${path}mute/`, mute)).status, 400, noTime);
    assert.equal((await api.call("member", path, change)).status, 400, noTime);
  }
  assert.deepEqual((await api.call<AlertAnswer[]>("viewer", PATH)).body.map(({ id }) => id), [
    made.body.id,
  ]);
  const tested = await api.call("member", `${path}test/`, { method: "POST" });
  assert.deepEqual(tested.body, { channels: [] });

  assert.equal((await api.call("member", path, { method: "DELETE" })).status, 204);
  assert.equal((await api.call("member", path)).status, 404);
  assert.deepEqual((await api.call("viewer", PATH)).body, []);
});

Deno.test("states and history tell what became of an alert", async () => {
  await using api = await testApi();
  const { services, project } = api;
  const made = await api.call<AlertAnswer>("member", PATH, {
    method: "POST",
    body: { ...alertInput(), condition: { comparison: ">", critical: 0 } },
  });
  await services.writer.commit(project.id, { records: [errorEvent()], outcomes: [] });
  const clock = { ...services, baseUrl: services.config.baseUrl, noticeOf };
  // The window that holds the event ends within half a minute.
  const later = new Date(Date.now() + 40_000);
  const path = `${PATH}${made.body.id}/`;
  const states = await waitFor("that window to be judged", async () => {
    // The clock of the service may be judging the window before, and then its result is the one that is stored.
    await evaluateAll(clock, later, new AbortController().signal);
    const { body } = await api.call<StateAnswer[]>("viewer", `${path}states/`);
    const end = latestEnd(later).toISOString();
    return body.some(({ dateEvaluated }) => dateEvaluated === end) ? body : null;
  });
  assert.deepEqual(
    states.map(({ group, status, level, value }) => [group, status, level, value]),
    [["", "firing", "critical", 1]],
  );
  const history = await api.call<Record<string, unknown>[]>("viewer", `${path}history/`);
  assert.deepEqual(
    history.body.map(({ from, to, notice }) => [from, to, notice]),
    [["ok", "firing", "no_channel"]],
  );
  assert.equal((await api.call<AlertAnswer>("viewer", path)).body.status, "firing");
});

Deno.test("an alert names only channels that its project has", async () => {
  await using api = await testApi();
  const channelOf = async (organization: string) => {
    const made = await api.call<{ id: string }>(
      "bootstrap",
      `/projects/${organization}/${organization}-shop/channels/`,
      { method: "POST", body: { type: "webhook", name: "Hook", url: "https://example.com/hook" } },
    );
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body.id;
  };
  const [ours, theirs] = [await channelOf("acme"), await channelOf("other")];
  const made = await api.call<AlertAnswer>("member", PATH, {
    method: "POST",
    body: { ...alertInput(), channelIds: [ours] },
  });
  assert.equal(made.status, 201);
  const wrong = { "channelIds.1": ["There is no such channel in this project."] };
  for (const stranger of [theirs, crypto.randomUUID()]) {
    const body = { ...alertInput(), channelIds: [ours, stranger] };
    const another = await api.call("member", PATH, { method: "POST", body });
    assert.deepEqual([another.status, another.body], [400, wrong]);
    const changed = await api.call("member", `${PATH}${made.body.id}/`, { method: "PUT", body });
    assert.deepEqual([changed.status, changed.body], [400, wrong]);
  }
});

Deno.test("wrong input is answered with a sentence for each field", async () => {
  await using api = await testApi();
  const post = async (body: unknown) => {
    const answer = await api.call<Record<string, string[]>>("member", PATH, {
      method: "POST",
      body,
    });
    assert.equal(answer.status, 400, JSON.stringify(body));
    return answer.body;
  };
  assert.deepEqual(Object.keys(await post({})).toSorted(), [
    "condition",
    "name",
    "source",
    "windowMinutes",
  ]);
  const wrong = await post({
    ...alertInput({ name: " ", windowMinutes: 1.5 }),
    source: { kind: "errors", measure: "events", search: "level:loud" },
    condition: { comparison: ">", warning: 10, critical: 5, recovery: 20 },
    channelIds: ["nobody"],
    schedule: { days: [], fromMinute: 0, toMinute: 2_000, timeZone: "Mars/Base" },
    mutedUntil: "tomorrow",
  });
  assert.deepEqual(Object.keys(wrong).toSorted(), [
    "channelIds.0",
    "condition.recovery",
    "condition.warning",
    "mutedUntil",
    "name",
    "schedule.days",
    "schedule.timeZone",
    "schedule.toMinute",
    "source.search",
    "windowMinutes",
  ]);
  const metric = { id: "a", metric: "x", aggregation: "avg" };
  const unread = await post({
    ...alertInput(),
    source: {
      kind: "metric",
      queries: [metric],
      formulas: [{ id: "f1", expression: "a * 2" }, { id: "f2", expression: "a / b" }],
      judged: "f2",
    },
  });
  assert.deepEqual(Object.keys(unread), ["source.formulas.1.expression"]);
  for (const messages of Object.values({ ...wrong, ...unread })) {
    assert.match(messages.join(" "), /^[A-Z].*\.$/);
  }
  for (const body of ["[]", "nonsense", '"x"']) await post(body);
});

Deno.test("another project's alert does not exist", async () => {
  await using api = await testApi();
  const { sql } = api.services;
  const made = await api.call<AlertAnswer>("member", PATH, { method: "POST", body: alertInput() });
  const path = `/projects/other/other-shop/alerts/${made.body.id}/`;
  for (const method of ["GET", "PUT", "DELETE"]) {
    const body = method === "PUT" ? {} : undefined;
    assert.equal((await api.call("stranger", path, { method, body })).status, 404);
  }
  assert.notEqual(await findRule(sql, api.project.id, made.body.id), null);
});

Deno.test("texts that Postgres cannot keep do no harm", async () => {
  await using api = await testApi();
  const body = alertInput({
    name: "a\0b\ud800",
    source: { kind: "errors", measure: "events", search: 'x\0 "\udc00' },
  });
  const answer = await api.call<AlertAnswer>("member", PATH, { method: "POST", body });
  assert.ok(answer.status === 201 || answer.status === 400, JSON.stringify(answer.body));
  const fine = await api.call<AlertAnswer>("member", PATH, {
    method: "POST",
    body: alertInput({ name: "a\0b\ud800" }),
  });
  assert.equal(fine.body.name, "ab\ufffd");
});
