/** Sentry's own tools, unchanged, against the API: both command lines, the new one, the MCP server, and what Grafana asks. */
import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { createOrganizationToken } from "@/lib/accounts/organization_tokens.ts";
import { listMembers } from "@/lib/accounts/members.ts";
import { permissionsOfSentryScopes } from "@/lib/accounts/scopes.ts";
import { ensureRelease } from "@/lib/releases/mod.ts";
import { sessionCountsRecord, spanBatchRecord, spanRecord } from "../support/records.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { nodeClient } from "./clients/install.ts";
import { type McpServer, startMcpServer } from "./clients/mcp.ts";

const tools = await nodeClient("tools");
const SCOPES = "org:read member:read team:write project:admin project:releases event:admin";

interface Told {
  readonly code: number;
  readonly text: string;
}

interface Tools extends ListeningApp {
  readonly token: string;
  /** Runs one of the installed programs as a script of a user would. */
  run(program: string, args: readonly string[], env?: Record<string, string>): Promise<Told>;
}

/** A server with one project and one error, and a token in Sentry's scopes. */
async function world(): Promise<Tools> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await listeningApp(true));
  const { kv } = app.services;
  const [member] = await listMembers(kv, app.organization.id);
  const { token } = await createApiToken(kv, {
    name: "Tools",
    organizationId: app.organization.id,
    userId: member?.userId ?? "",
    scopes: permissionsOfSentryScopes(SCOPES),
  });
  const home = await Deno.makeTempDir({ prefix: "watchpost-tools-" });
  opened.defer(() => Deno.remove(home, { recursive: true }));
  const usual = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: home,
    SENTRY_URL: app.url,
    SENTRY_HOST: app.url,
    SENTRY_AUTH_TOKEN: token,
    SENTRY_ORG: "acme",
    SENTRY_PROJECT: "shop",
    SENTRY_DSN: app.serverDsn,
    NO_COLOR: "1",
  };
  const run: Tools["run"] = async (program, args, env = {}) => {
    const { code, stdout, stderr } = await new Deno.Command(
      new URL(`node_modules/${program}`, tools?.directory).pathname,
      { args: [...args], env: { ...usual, ...env }, clearEnv: true, stdin: "null" },
    ).output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return { code, text };
  };
  await sendError(app.serverDsn);
  const all = opened.move();
  return { ...app, token, run, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function sendError(dsn: string, release?: string, type = "PaymentError"): Promise<void> {
  const { origin, username, pathname } = new URL(dsn);
  const id = crypto.randomUUID().replaceAll("-", "");
  const event = {
    event_id: id,
    level: "error",
    environment: "production",
    release,
    tags: { plan: "gold" },
    exception: { values: [{ type, value: "the card was refused" }] },
  };
  const lines = [{ event_id: id }, { type: "event" }, event].map((line) => JSON.stringify(line));
  const response = await fetch(`${origin}/api${pathname}/envelope/`, {
    method: "POST",
    headers: { "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${username}` },
    body: lines.join("\n"),
  });
  assert.equal(response.status, 200, await response.text());
}

/** How the only issue stands: its status, what it is resolved in or archived until, and who has it. */
async function standingOf({ services: { sql } }: ListeningApp) {
  const [issue] = await sql<
    {
      substatus: string | null;
      resolution: object | null;
      snooze: object | null;
      assignee: string;
    }[]
  >`
    select substatus, resolution - 'actor' as resolution, assignee_kind as assignee,
      snooze - 'actor' - 'timesSeen' - 'usersSeen' - 'ceilings' - 'ceilingsFrom' as snooze
    from issues
  `;
  return issue;
}

async function statusOf({ services: { sql } }: ListeningApp): Promise<string> {
  const [issue] = await sql<{ status: string }[]>`select status from issues`;
  return issue?.status ?? "";
}

for (
  const [name, program] of [
    ["sentry-cli 2.58", "@sentry/cli-2/bin/sentry-cli"],
    ["sentry-cli 3", "@sentry/cli/bin/sentry-cli"],
  ] as const
) {
  Deno.test({
    name: `${name} tells who it is, and lists projects, organizations, issues and logs`,
    ignore: tools === null,
    async fn() {
      await using app = await world();
      const told = async (...args: string[]) => {
        const { code, text } = await app.run(program, args);
        assert.equal(code, 0, `${args.join(" ")}: ${text}`);
        return text;
      };
      assert.match(await told("info"), /event:admin/);
      assert.match(await told("projects", "list"), /shop\s*\|\s*Everyone\s*\|\s*Shop/);
      assert.match(await told("organizations", "list"), /Acme\s*\|\s*acme/);
      assert.match(await told("issues", "list"), /SHOP-1\s*\|\s*PaymentError/);
      assert.match(await told("repos", "list"), /No repos found/);
      assert.match(await told("logs", "list"), /No logs found/);
    },
  });

  Deno.test({
    name: `${name} resolves, mutes and opens issues`,
    ignore: tools === null,
    async fn() {
      await using app = await world();
      for (
        const [command, status] of [
          ["resolve", "resolved"],
          ["unresolve", "unresolved"],
          ["mute", "ignored"],
        ] as const
      ) {
        const { code, text } = await app.run(program, ["issues", command, "--all"]);
        assert.equal(code, 0, text);
        assert.equal(await statusOf(app), status, text);
        // What is muted or resolved is not among all that are open.
        const named = await app.run(program, ["issues", "unresolve", "--id", "1"]);
        assert.equal(named.code, 0, named.text);
      }
    },
  });

  Deno.test({
    name: `${name} resolves issues in the next release, which an old program does not reopen`,
    ignore: tools === null,
    async fn() {
      await using app = await world();
      const told = async (...args: string[]) => {
        const { code, text } = await app.run(program, args);
        assert.equal(code, 0, `${args.join(" ")}: ${text}`);
      };
      await told("releases", "new", "1.4.0");
      await told("issues", "resolve", "--all", "--next-release");
      assert.deepEqual((await standingOf(app))?.resolution, { kind: "next", after: "1.4.0" });
      await sendError(app.serverDsn, "1.3.0");
      assert.equal(await statusOf(app), "resolved");
      await sendError(app.serverDsn, "1.5.0");
      assert.equal(await statusOf(app), "unresolved");
    },
  });

  Deno.test({
    name: `${name} sends events and envelopes, and runs monitors`,
    ignore: tools === null,
    async fn() {
      await using app = await world();
      const sent = await app.run(program, ["send-event", "-m", "from a script"]);
      assert.equal(sent.code, 0, sent.text);
      const file = await Deno.makeTempFile();
      const id = crypto.randomUUID().replaceAll("-", "");
      const event = { event_id: id, message: "from an envelope", level: "warning" };
      const lines = [{ event_id: id }, { type: "event" }, event].map((line) =>
        JSON.stringify(line)
      );
      await Deno.writeTextFile(file, lines.join("\n"));
      const envelope = await app.run(program, ["send-envelope", "--raw", file]);
      await Deno.remove(file);
      assert.equal(envelope.code, 0, envelope.text);
      const ran = await app.run(program, [
        "monitors",
        "run",
        "-s",
        "0 3 * * *",
        "nightly",
        "--",
        "true",
      ]);
      assert.equal(ran.code, 0, ran.text);
      const listed = await app.run(program, ["monitors", "list"]);
      assert.match(listed.text, /nightly/);
      const issues = await app.run(program, ["issues", "list"]);
      assert.match(issues.text, /from a script/);
      assert.match(issues.text, /from an envelope/);
    },
  });

  Deno.test({
    name: `${name} needs nothing but a token of the organization`,
    ignore: tools === null,
    async fn() {
      await using app = await world();
      const { token } = await createOrganizationToken(app.services.kv, {
        organization: app.organization,
        name: "Build",
        createdBy: "a test",
        baseUrl: app.url,
      });
      const alone = { SENTRY_AUTH_TOKEN: token, SENTRY_ORG: "", SENTRY_URL: "" };
      const info = await app.run(program, ["info"], alone);
      assert.match(info.text, /org:ci/);
      assert.match(info.text, new RegExp(app.url));
      const made = await app.run(program, ["releases", "new", "1.2.3"], alone);
      assert.equal(made.code, 0, made.text);
      const refused = await app.run(program, ["issues", "list"], alone);
      assert.notEqual(refused.code, 0);
      assert.match(refused.text, /403/);
    },
  });
}

Deno.test({
  name:
    "the sentry command line lists and shows organizations, projects, issues and events, and resolves",
  ignore: tools === null,
  async fn() {
    await using app = await world();
    const told = async (...args: string[]) => {
      const { code, text } = await app.run(".bin/sentry", [...args, "--json"]);
      assert.equal(code, 0, `${args.join(" ")}: ${text}`);
      return text;
    };
    assert.match(await told("org", "list"), /"slug": "acme"/);
    assert.match(await told("project", "list", "acme/"), /"slug": "shop"/);
    assert.match(await told("issue", "list", "acme/shop"), /PaymentError/);
    assert.match(await told("issue", "view", "acme/SHOP-1"), /the card was refused/);
    const [event] = await app.services.sql<{ id: string }[]>`
      select replace(event_id::text, '-', '') as id from events
    `;
    assert.match(await told("event", "view", `acme/shop/${event?.id}`), /PaymentError/);
    await told("issue", "resolve", "acme/SHOP-1");
    assert.equal(await statusOf(app), "resolved");
  },
});

Deno.test({
  name:
    "the sentry command line resolves issues in releases and commits, archives them until something happens, merges, and tells tags",
  ignore: tools === null,
  async fn() {
    await using app = await world();
    const told = async (...args: string[]) => {
      const { code, text } = await app.run(".bin/sentry", [...args, "--json"]);
      assert.equal(code, 0, `${args.join(" ")}: ${text}`);
      return text;
    };
    await ensureRelease(app.services.sql, app.projectId, "1.4.0");
    const repository = await fetch(`${app.url}/api/0/organizations/acme/repos/`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.token}` },
      body: JSON.stringify({ name: "a/b" }),
    });
    assert.equal(repository.status, 201, await repository.text());
    const issue = "acme/SHOP-1";
    for (
      const [where, resolution] of [
        ["@next", { kind: "next", after: "1.4.0" }],
        ["1.4.0", { kind: "release", version: "1.4.0" }],
        ["@commit:a/b@abc1", { kind: "commit", commit: "abc1", repository: "a/b" }],
      ] as const
    ) {
      await told("issue", "resolve", issue, "--in", where);
      assert.deepEqual((await standingOf(app))?.resolution, resolution);
      await told("issue", "unresolve", issue);
      assert.equal(await statusOf(app), "unresolved");
    }
    for (
      const [until, substatus, snooze] of [
        ["auto", "archived_until_escalating", {}],
        ["10x/5m", "archived_until_condition_met", { count: 10, window: 5 }],
        ["3u", "archived_until_condition_met", { userCount: 3 }],
      ] as const
    ) {
      await told("issue", "archive", issue, "--until", until);
      const standing = await standingOf(app);
      assert.deepEqual([standing?.substatus, standing?.snooze], [substatus, snooze], until);
    }
    await told("issue", "archive", issue, "--until", "1h");
    assert.match(JSON.stringify((await standingOf(app))?.snooze), /"until"/);
    await told("issue", "archive", issue);
    assert.equal((await standingOf(app))?.substatus, "archived_forever");
    assert.match(await told("issue", "tags", issue, "plan"), /gold/);
    await sendError(app.serverDsn, "1.4.0", "InvoiceError");
    await told("issue", "merge", issue, "acme/SHOP-2");
    const [{ count } = { count: 0 }] = await app.services.sql<{ count: number }[]>`
      select count(*)::int as count from issues where merged_into is not null
    `;
    assert.equal(count, 1);
  },
});

Deno.test({
  name:
    "sentry-mcp finds organizations, teams, projects, releases, DSNs, issues, events, and resolves",
  ignore: tools === null,
  async fn() {
    await using app = await world();
    await using mcp: McpServer = await startMcpServer(tools?.directory, app.url, app.token);
    const organization = { organizationSlug: "acme" };
    const inCatalogue = (name: string, args: object) =>
      mcp.call("execute_sentry_tool", { name, arguments: args });
    assert.match(await inCatalogue("whoami", {}), /olga@example\.com/);
    assert.match(await mcp.call("find_organizations", {}), /"slug": "acme"/);
    assert.match(await inCatalogue("find_teams", organization), /"slug": "everyone"/);
    assert.match(await mcp.call("find_projects", organization), /"slug": "shop"/);
    assert.match(await inCatalogue("find_releases", organization), /"releases": \[\]/);
    const dsns = await inCatalogue("find_dsns", { ...organization, projectSlug: "shop" });
    assert.ok(dsns.includes(app.serverDsn), dsns);
    const query = { ...organization, query: "is:unresolved" };
    assert.match(await mcp.call("search_issues", query), /SHOP-1[^]*PaymentError/);
    const events = { ...organization, query: "level:error", fields: ["title", "timestamp"] };
    assert.match(await mcp.call("search_events", { ...events, dataset: "errors" }), /PaymentError/);
    for (const dataset of ["spans", "logs"]) {
      const none = await mcp.call("search_events", { ...organization, dataset, query: "" });
      assert.match(none, /No results found/);
    }
    const issue = { ...organization, issueId: "SHOP-1" };
    assert.match(await inCatalogue("get_issue_details", issue), /the card was refused/);
    await mcp.call("update_issue", { ...issue, status: "resolved" });
    assert.equal(await statusOf(app), "resolved");
  },
});

Deno.test({
  name: "sentry-mcp tells a trace with its spans",
  ignore: tools === null,
  async fn() {
    await using app = await world();
    await using mcp: McpServer = await startMcpServer(tools?.directory, app.url, app.token);
    const root = spanRecord({ isSegment: true, op: "http.server", description: "GET /cart" });
    const child = spanRecord({ parentSpanId: root.spanId, description: "select 42" });
    const batch = spanBatchRecord({ spans: [root, child] });
    await app.services.writer.commit(app.projectId, { records: [batch], outcomes: [] });
    const told = await mcp.call("execute_sentry_tool", {
      name: "get_trace_details",
      arguments: { organizationSlug: "acme", traceId: batch.traceId },
    });
    assert.match(told, /Total Spans\W+2/i);
    assert.match(told, /select 42/);
  },
});

Deno.test({
  name:
    "sentry-mcp assigns, archives until something happens, resolves in the next release, comments, and tells activity and tags",
  ignore: tools === null,
  async fn() {
    await using app = await world();
    await using mcp: McpServer = await startMcpServer(tools?.directory, app.url, app.token);
    await ensureRelease(app.services.sql, app.projectId, "1.4.0");
    const issue = { organizationSlug: "acme", issueId: "SHOP-1" };
    const update = (changes: object) => mcp.call("update_issue", { ...issue, ...changes });
    await update({ assignedTo: "team:everyone" });
    assert.equal((await standingOf(app))?.assignee, "team");
    await update({
      status: "ignored",
      ignoreMode: "untilOccurrenceCount",
      ignoreCount: 100,
      ignoreWindowMinutes: 60,
      reason: "Noise from the staging deploy",
    });
    assert.deepEqual((await standingOf(app))?.snooze, { count: 100, window: 60 });
    await update({ status: "unresolved" });
    await update({ status: "ignored" });
    assert.equal((await standingOf(app))?.substatus, "archived_until_escalating");
    await update({ status: "resolvedInNextRelease" });
    assert.deepEqual((await standingOf(app))?.resolution, { kind: "next", after: "1.4.0" });
    const inCatalogue = (name: string, args: object) =>
      mcp.call("execute_sentry_tool", { name, arguments: { ...issue, ...args } });
    assert.match(await inCatalogue("get_issue_activity", {}), /Noise from the staging deploy/);
    assert.match(await inCatalogue("get_issue_tag_values", { tagKey: "plan" }), /gold/);
  },
});

Deno.test("what Grafana's data source for Sentry asks is answered in the types that it reads", async () => {
  await using app = await world();
  const headers = {
    authorization: `Bearer ${app.token}`,
    "user-agent": "grafana-sentry-datasource/2.2.1",
  };
  const get = async (path: string) => {
    const response = await fetch(`${app.url}/api/0${path}`, { headers, redirect: "error" });
    const body = await response.json();
    assert.equal(response.status, 200, `${path}: ${JSON.stringify(body)}`);
    return { body, link: response.headers.get("link") ?? "" };
  };
  const now = new Date(Date.now() + 60_000);
  const start = new Date(now.getTime() - 6 * 3_600_000);
  const bare = (date: Date) => date.toISOString().slice(0, 19);
  const range = `start=${bare(start)}&end=${bare(now)}`;
  assert.ok(Array.isArray((await get("/organizations/acme/projects/")).body));
  assert.equal((await get("/organizations/")).body[0].slug, "acme");
  assert.equal((await get("/organizations/acme/teams/")).body[0].slug, "everyone");
  assert.equal((await get("/teams/acme/everyone/projects/")).body[0].slug, "shop");
  assert.ok(
    (await get("/organizations/acme/tags/")).body.some(({ key }: { key: string }) =>
      key === "plan"
    ),
  );
  const attributes =
    "/organizations/acme/trace-items/attributes/?attributeType=number&itemType=spans";
  assert.ok(Array.isArray((await get(attributes)).body));

  const issues = await get(
    `/organizations/acme/issues/?query=is:unresolved&${range}&sort=date&limit=10000&project=${app.projectId}`,
  );
  const [issue] = issues.body;
  assert.deepEqual(
    [typeof issue.id, typeof issue.count, typeof issue.userCount, typeof issue.project.id],
    ["string", "string", "number", "string"],
  );
  assert.ok(issue.assignedTo === null || typeof issue.assignedTo === "object");
  assert.match(issue.firstSeen, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  assert.match(issues.link, /rel="next"; results="false"/);

  const events = await get(
    `/organizations/acme/events/?field=title&field=count()&query=&sort=-count()&per_page=100&${range}&project=${app.projectId}`,
  );
  assert.equal(events.body.data[0]["count()"], 1);
  await get(`/organizations/acme/events/?dataset=spans&useRpc=1&field=span.op&${range}`);
  const zoned = `start=${start.toISOString()}&end=${now.toISOString()}`;
  const stats = await get(
    `/organizations/acme/events-stats/?yAxis=count()&field=title&field=count()&topEvents=10&interval=1h&partial=1&excludeOther=1&${zoned}`,
  );
  const [group] = Object.values<{ data: [number, [{ count: number }]][] }>(stats.body);
  assert.ok(group?.data.some(([, [{ count }]]) => count === 1));
  const came = await get(
    `/organizations/acme/stats_v2/?category=error&field=sum(quantity)&groupBy=outcome&interval=1h&${zoned}`,
  );
  assert.equal(came.body.groups[0].totals["sum(quantity)"], 1);
  assert.equal(came.body.groups[0].series["sum(quantity)"].length, came.body.intervals.length);

  const sessions = [sessionCountsRecord({ release: "shop@1" })];
  await app.services.writer.commit(app.projectId, { records: sessions, outcomes: [] });
  const health = await get(
    `/organizations/acme/metrics/data/?field=session.all&field=session.crash_free_rate&groupBy=release&orderBy=-session.all&includeSeries=1&per_page=10&interval=1h&${zoned}`,
  );
  const [release] = health.body.groups;
  assert.deepEqual(release.by, { release: "shop@1" });
  assert.deepEqual(release.totals, { "session.all": 1, "session.crash_free_rate": 1 });
  assert.equal(release.series["session.all"].length, health.body.intervals.length);
});
