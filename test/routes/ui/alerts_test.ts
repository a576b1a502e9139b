import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { createRule, findRule, listRules } from "@/lib/alerts/rules.ts";
import { alertInput } from "../../support/alert_input.ts";
import { errorEvent } from "../../support/error_event.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

const PATH = "/projects/1/alerts";
const BY = "olga@example.com";

async function shop(): Promise<Acme> {
  const app = await acme();
  const organizationId = app.organization.id;
  await createProject(app.services.kv, { organizationId, name: "Shop", platform: "node" });
  return app;
}

/** A change and a state of an alert, as the engine writes them. */
async function fire({ services: { sql } }: Acme, ruleId: string, at: Date): Promise<void> {
  await sql`
    insert into alert_states (
      project_id, rule_id, group_id, "group", status, level, value, since, changed_at, seen_at
    ) values (
      1, ${ruleId}, ${crypto.randomUUID()}, '', 'firing', 'critical', 123, ${at}, ${at}, ${at}
    )
  `;
  await sql`
    insert into alert_history (
      project_id, rule_id, "at", "group", from_status, to_status, level, value, notice
    ) values (1, ${ruleId}, ${at}, '', 'ok', 'firing', 'critical', 123, 'sent')
  `;
}

async function channel({ services: { sql } }: Acme, name: string): Promise<string> {
  const channelId = crypto.randomUUID();
  await sql`
    insert into notification_channels (
      project_id, channel_id, type, name, target, sealed, created_at, updated_at, updated_by
    ) values (
      1, ${channelId}, 'webhook', ${name}, 'hooks.example.com', '\\x00', now(), now(), ${BY}
    )
  `;
  return channelId;
}

Deno.test("a project without alerts offers three to begin with", async () => {
  await using app = await shop();
  const { status, html } = await app.owner.get(PATH);
  assert.equal(status, 200);
  assert.match(textOf(html), /No alerts yet/);
  const links = html.matchAll(/href="(\/projects\/1\/alerts\/new\?[^"]+)"/g);
  const paths = [...links].map(([, path = ""]) => path.replaceAll("&amp;", "&"));
  assert.equal(paths.length, 3);
  for (const path of paths) assert.equal((await app.owner.get(path)).status, 200, path);
  const { visitor } = await app.member("viewer");
  assert.doesNotMatch((await visitor.get(PATH)).html, /alerts\/new/);
});

Deno.test("a form makes an alert, which the list shows, and its page in words", async () => {
  await using app = await shop();
  const channelId = await channel(app, "On call");
  const answer = await app.owner.post(`${PATH}/new`, [
    ["action", "save"],
    ["source", "transactions"],
    ["transactionMeasure", "p95"],
    ["transaction", "GET /cart"],
    ["comparison", ">"],
    ["critical", "1.5 s"],
    ["warning", "500"],
    ["window", "10"],
    ["for", "5"],
    ["noData", "alert"],
    ["channel", channelId],
    ["environment", "production"],
    ["scheduled", "on"],
    ["day", "1"],
    ["day", "2"],
    ["day", "3"],
    ["from", "09:00"],
    ["to", "17:30"],
    ["timeZone", "Europe/Berlin"],
  ]);
  assert.equal(answer.status, 303);
  const [rule] = await listRules(app.services.sql, "1");
  assert.equal(answer.location, `${PATH}/${rule?.ruleId}`);
  assert.equal(rule?.updatedBy, BY);
  assert.equal(rule?.condition.critical, 1_500);
  const list = textOf((await app.owner.get(PATH)).html);
  assert.match(list, /p95 duration of GET \/cart > 1\.5 s/);
  assert.match(list, /in production, above 1\.5 s over 10 min, for 5 min/);
  assert.match(list, /On call/);
  const page = textOf((await app.owner.get(answer.location ?? "")).html);
  assert.match(page, /The alert is made/);
  assert.match(page, /Warning above 500 ms/);
  assert.match(page, /Mon–Wed 09:00–17:30, Europe\/Berlin/);
  assert.match(page, /Without data Alerts/);
});

Deno.test("a form that names a channel of nobody's is not saved", async () => {
  await using app = await shop();
  const answer = await app.owner.post(`${PATH}/new`, {
    action: "save",
    source: "errors",
    errorMeasure: "new_issue",
    window: "5",
    for: "0",
    noData: "ok",
    name: "New",
    channel: crypto.randomUUID(),
  });
  assert.equal(answer.status, 422);
  assert.match(textOf(answer.html), /There is no such channel in this project\./);
  assert.deepEqual(await listRules(app.services.sql, "1"), []);
});

Deno.test("what is wrong in a form is told beside its fields, and nothing typed is lost", async () => {
  await using app = await shop();
  const answer = await app.owner.post(`${PATH}/new`, {
    action: "save",
    source: "errors",
    errorMeasure: "events",
    search: "level:nope",
    comparison: ">",
    critical: "abc",
    window: "5",
    for: "0",
    noData: "ok",
    name: 'My <"name">',
  });
  assert.equal(answer.status, 422);
  assert.match(answer.html, /href="#field-critical"/);
  assert.match(answer.html, /id="field-critical-error"/);
  assert.match(answer.html, /href="#field-search"/);
  assert.match(answer.html, /value="level:nope"/);
  assert.match(answer.html, /value="My [^=]*name/);
  assert.deepEqual(await listRules(app.services.sql, "1"), []);
});

Deno.test("a preview shows when an alert would have fired, and saves nothing", async () => {
  await using app = await shop();
  const soon = new Date(Date.now() - 3_600_000);
  const records = Array.from({ length: 4 }, () => errorEvent({ timestamp: soon }));
  await app.services.writer.commit("1", { records, outcomes: [] });
  const fields = {
    source: "errors",
    errorMeasure: "events",
    comparison: ">",
    critical: "3",
    window: "5",
    for: "0",
    noData: "ok",
  };
  const answer = await app.owner.post(`${PATH}/new`, { ...fields, action: "preview" });
  assert.equal(answer.status, 200);
  assert.match(textOf(answer.html), /It would have fired 1 time in this time range/);
  assert.match(answer.html, /critical > 3/);
  const high = await app.owner.post(`${PATH}/new`, { ...fields, critical: "9", action: "preview" });
  assert.match(textOf(high.html), /It would not have fired in this time/);
  assert.deepEqual(await listRules(app.services.sql, "1"), []);
});

Deno.test("queries are added and taken away without script and without complaints", async () => {
  await using app = await shop();
  const fields = { source: "metric", "a.metric": "", critical: "" };
  const more = await app.owner.post(`${PATH}/new`, { ...fields, add: "query" });
  assert.equal(more.status, 200);
  assert.match(more.html, /name="b\.metric"/);
  assert.doesNotMatch(more.html, /field-critical-error/);
  const judged = await app.owner.post(`${PATH}/new`, { ...fields, add: "formula" });
  assert.match(judged.html, /name="judged"/);
});

Deno.test("an alert is changed by the same form, and keeps what the form does not show", async () => {
  await using app = await shop();
  const { sql } = app.services;
  const mutedUntil = new Date("2099-01-01T00:00:00Z");
  const made = await createRule(sql, "1", alertInput({ mutedUntil }), BY);
  const path = `${PATH}/${made.ruleId}/edit`;
  const { html } = await app.owner.get(path);
  assert.match(html, /value="Many errors"/);
  const answer = await app.owner.post(path, {
    action: "save",
    source: "errors",
    errorMeasure: "users",
    comparison: ">=",
    critical: "7",
    window: "15",
    for: "0",
    noData: "keep",
    name: "Renamed",
  });
  assert.equal(answer.location, `${PATH}/${made.ruleId}`);
  const rule = await findRule(sql, "1", made.ruleId);
  assert.equal(rule?.name, "Renamed");
  assert.deepEqual(rule?.source, { kind: "errors", measure: "users", search: "" });
  assert.deepEqual(rule?.mutedUntil, mutedUntil);
});

Deno.test("a firing alert is the first of the list and shows since when, and what happened", async () => {
  await using app = await shop();
  const { sql } = app.services;
  await createRule(sql, "1", alertInput({ name: "A calm one" }), BY);
  const { ruleId } = await createRule(sql, "1", alertInput({ name: "Zebra" }), BY);
  await fire(app, ruleId, new Date(Date.now() - 600_000));
  const list = textOf((await app.owner.get(PATH)).html);
  assert.ok(list.indexOf("Zebra") < list.indexOf("A calm one"));
  assert.match(list, /critical Zebra .*123 .*10 min ago/);
  const firing = textOf((await app.owner.get(`${PATH}?status=firing`)).html);
  assert.doesNotMatch(firing, /A calm one/);
  const found = textOf((await app.owner.get(`${PATH}?query=calm`)).html);
  assert.doesNotMatch(found, /Zebra/);
  const page = textOf((await app.owner.get(`${PATH}/${ruleId}`)).html);
  assert.match(page, /ok to critical all 123 Sent/);
});

Deno.test("an alert is muted, turned off and on, and each is told", async () => {
  await using app = await shop();
  const { sql } = app.services;
  const { ruleId } = await createRule(sql, "1", alertInput(), BY);
  const path = `${PATH}/${ruleId}`;
  const act = async (fields: Record<string, string>) => {
    const answer = await app.owner.post(path, fields);
    assert.equal(answer.location, path);
    return textOf((await app.owner.get(path)).html);
  };
  assert.match(await act({ action: "mute", minutes: "60" }), /Muted until .* This alert is muted/);
  const muted = await findRule(sql, "1", ruleId);
  assert.ok(Math.abs((muted?.mutedUntil?.getTime() ?? 0) - Date.now() - 3_600_000) < 60_000);
  const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await act({ action: "mute", until });
  const longer = await findRule(sql, "1", ruleId);
  assert.equal(longer?.mutedUntil?.toISOString().slice(0, 16), until);
  assert.match(await act({ action: "unmute" }), /No longer muted/);
  for (const bad of [{ minutes: "-5" }, { minutes: "x" }, { until: "2001-01-01T00:00" }, {}]) {
    assert.match(await act({ action: "mute", ...bad }), /Choose a time ahead/);
  }
  assert.match(await act({ action: "disable" }), /This alert is off/);
  assert.doesNotMatch(await act({ action: "enable" }), /This alert is off/);
});

Deno.test("a test goes to the channels of the alert and names them", async () => {
  await using app = await shop();
  const { sql } = app.services;
  const without = await createRule(sql, "1", alertInput(), BY);
  await app.owner.post(`${PATH}/${without.ruleId}`, { action: "test" });
  const told = textOf((await app.owner.get(`${PATH}/${without.ruleId}`)).html);
  assert.match(told, /no notification was sent/);
  const channelIds = [await channel(app, "On call"), await channel(app, "Team room")];
  await channel(app, "Another");
  const { ruleId } = await createRule(sql, "1", alertInput({ channelIds }), BY);
  await app.owner.post(`${PATH}/${ruleId}`, { action: "test" });
  const page = textOf((await app.owner.get(`${PATH}/${ruleId}`)).html);
  assert.match(page, /A test is on its way to On call, Team room\./);
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from deliveries`;
  assert.equal(row?.count, 2);
});

Deno.test("an alert is deleted only by its name", async () => {
  await using app = await shop();
  const { ruleId } = await createRule(app.services.sql, "1", alertInput(), BY);
  const path = `${PATH}/${ruleId}`;
  const wrong = await app.owner.post(path, { action: "delete", confirm: "many" });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.html), /This is not the name/);
  const right = await app.owner.post(path, { action: "delete", confirm: "Many errors" });
  assert.equal(right.location, PATH);
  assert.equal((await app.owner.get(path)).status, 404);
  assert.equal((await app.owner.get(`${path}/edit`)).status, 404);
});

Deno.test("a copy of an alert begins with all of its fields but the name", async () => {
  await using app = await shop();
  const input = alertInput({ source: { kind: "errors", measure: "users", search: "level:fatal" } });
  const { ruleId } = await createRule(app.services.sql, "1", input, BY);
  const { html } = await app.owner.get(`${PATH}/${ruleId}`);
  const [, link = ""] = /href="([^"]*)"[^>]*>Duplicate/.exec(html) ?? [];
  const form = (await app.owner.get(link.replaceAll("&amp;", "&"))).html;
  assert.match(form, /value="level:fatal"/);
  assert.match(form, /name="critical" value="5"/);
  assert.doesNotMatch(form, /value="Many errors"/);
});

Deno.test("addresses and forms of nobody's making are no error of ours", async () => {
  await using app = await shop();
  const { ruleId } = await createRule(app.services.sql, "1", alertInput(), BY);
  for (const path of [`${PATH}/nonsense`, `${PATH}/${crypto.randomUUID()}`]) {
    assert.equal((await app.owner.get(path)).status, 404);
  }
  const strange = "range=forever&cursor=%00&start=nonsense&status=x";
  assert.equal((await app.owner.get(`${PATH}/${ruleId}?${strange}`)).status, 200);
  const years = await app.owner.get(`${PATH}/${ruleId}?start=2001-01-01&end=2026-01-01`);
  assert.match(textOf(years.html), /choose a shorter one/);
  const nul = "\0";
  for (
    const fields of [{ source: nul, name: nul }, { source: "errors", search: nul, critical: "1" }]
  ) {
    const { status } = await app.owner.post(`${PATH}/new`, { action: "save", ...fields });
    assert.ok(status < 500, String(status));
  }
  assert.equal((await app.owner.post(`${PATH}/${ruleId}`, { action: "explode" })).status, 400);
  assert.equal((await app.owner.get(`${PATH}/new?a.metric=x&a.filter=%22&f1=(`)).status, 200);
});
