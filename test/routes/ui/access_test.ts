import assert from "node:assert/strict";
import { createOrganization } from "../../support/organizations.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { type Role, ROLES } from "@/lib/accounts/members.ts";
import { createRule } from "@/lib/alerts/rules.ts";
import { alertInput } from "../../support/alert_input.ts";
import { createTeam } from "@/lib/accounts/teams.ts";
import { addMapping } from "@/lib/errors/code/mappings.ts";
import { addConnection } from "@/lib/errors/links/connections.ts";
import { addChannel } from "@/lib/alerts/channels/settings.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { createPost } from "@/lib/monitors/status/posts.ts";
import { savePage } from "@/lib/monitors/status/status_page.ts";
import { errorEvent } from "../../support/error_event.ts";
import { pprofGzip } from "../../support/pprof.ts";
import { storedMonitor } from "../../support/stored_monitors.ts";
import {
  attachmentRecord,
  checkInRecord,
  profileRecord,
  spanBatchRecord,
} from "../../support/records.ts";
import { storedBundle } from "../../support/artifact_bundles.ts";
import { person } from "../../support/people.ts";
import { askForJob } from "@/lib/end_users/jobs.ts";
import { INCIDENT, SETTINGS } from "../../support/status_site.ts";
import { type Acme, acme, type Answer, type Visitor } from "../../support/ui_app.ts";

/** Who may ask: the weakest role, who runs the instance, anybody who is signed in, or really anybody. Absent: nobody asks that way. */
type Who = Role | "instance" | "signed-in" | "anybody";

/** Every page route, and who may GET and POST it. A route that is missing here fails the first test. */
const RULES: Readonly<Record<string, { GET?: Who; POST?: Who }>> = {
  "/": { GET: "anybody" },
  "/instance": { GET: "instance", POST: "instance" },
  // What every installation has is no secret.
  "/api/docs": { GET: "anybody" },
  "/account": { GET: "signed-in", POST: "signed-in" },
  "/account/notifications": { GET: "signed-in", POST: "signed-in" },
  // Who holds a link is told in it, see organization_settings_test.ts.
  "/join": { GET: "anybody", POST: "anybody" },
  // Everybody may leave; what else a role may do here is told in the form, see organization_settings_test.ts.
  "/organizations": { GET: "signed-in", POST: "signed-in" },
  "/organizations/new": { GET: "instance", POST: "instance" },
  "/organizations/[organization]/settings": { GET: "viewer", POST: "viewer" },
  "/organizations/[organization]/settings/general": { GET: "viewer", POST: "manager" },
  "/organizations/[organization]/settings/status-page": { GET: "viewer", POST: "admin" },
  "/organizations/[organization]/settings/status-page/posts/[post]": {
    GET: "viewer",
    POST: "member",
  },
  "/organizations/[organization]/settings/status-page/posts/new": { GET: "member", POST: "member" },
  "/organizations/[organization]/settings/teams": { GET: "viewer", POST: "manager" },
  // Everybody may join and leave; what else a role may do here is told in the form, see teams_test.ts.
  "/organizations/[organization]/settings/teams/[team]": { GET: "viewer", POST: "viewer" },
  "/organizations/[organization]/settings/tokens": { GET: "member", POST: "member" },
  "/organizations/[organization]/settings/data": { GET: "viewer", POST: "manager" },
  "/organizations/[organization]/settings/audit": { GET: "manager", POST: "manager" },
  "/organizations/[organization]/settings/audit/export": { GET: "manager" },
  "/organizations/[organization]/settings/end-users": { GET: "manager", POST: "manager" },
  "/organizations/[organization]/settings/end-users/[job]": { GET: "manager" },
  "/instance/audit": { GET: "instance" },
  "/instance/audit/export": { GET: "instance" },
  "/projects/[project]/settings/retention": { GET: "viewer", POST: "admin" },
  "/organizations/[organization]/settings/usage": { GET: "viewer" },
  "/organizations/[organization]/settings/usage/csv": { GET: "viewer" },
  "/preferences": { GET: "anybody", POST: "anybody" },
  "/projects": { GET: "signed-in" },
  "/projects/[project]": { GET: "viewer" },
  "/projects/[project]/alerts": { GET: "viewer" },
  "/projects/[project]/alerts/[alert]": { GET: "viewer", POST: "member" },
  "/projects/[project]/alerts/[alert]/edit": { GET: "member", POST: "member" },
  "/projects/[project]/alerts/new": { GET: "member", POST: "member" },
  "/projects/[project]/dashboards": { GET: "viewer" },
  "/projects/[project]/dashboards/[dashboard]": { GET: "viewer", POST: "member" },
  "/projects/[project]/dashboards/[dashboard]/export": { GET: "viewer" },
  "/projects/[project]/dashboards/[dashboard]/layout": { POST: "member" },
  "/projects/[project]/dashboards/[dashboard]/panels/[panel]": { GET: "member", POST: "member" },
  "/projects/[project]/dashboards/[dashboard]/settings": { GET: "member", POST: "member" },
  "/projects/[project]/dashboards/add": { GET: "member", POST: "member" },
  "/projects/[project]/dashboards/new": { GET: "member", POST: "member" },
  "/projects/[project]/dashboards/ready/[ready]": { GET: "viewer", POST: "member" },
  "/projects/[project]/endpoints": { GET: "viewer" },
  "/projects/[project]/endpoints/detail": { GET: "viewer" },
  "/projects/[project]/feedback": { GET: "viewer", POST: "member" },
  "/projects/[project]/issues": { GET: "viewer", POST: "member" },
  "/projects/[project]/issues/[issue]": { GET: "viewer", POST: "member" },
  "/projects/[project]/issues/[issue]/delete": { GET: "viewer", POST: "admin" },
  "/projects/[project]/issues/[issue]/groups": { GET: "viewer", POST: "member" },
  "/projects/[project]/issues/[issue]/links": { GET: "member", POST: "member" },
  "/projects/[project]/issues/[issue]/share": { GET: "viewer", POST: "member" },
  "/projects/[project]/issues/[issue]/similar": { GET: "viewer", POST: "member" },
  "/projects/[project]/issues/[issue]/events": { GET: "viewer" },
  "/projects/[project]/issues/[issue]/events/[event]": { GET: "viewer" },
  "/projects/[project]/issues/[issue]/events/[event]/attachments/[attachment]": { GET: "viewer" },
  "/projects/[project]/issues/[issue]/events/[event]/json": { GET: "viewer" },
  "/projects/[project]/issues/completions": { GET: "viewer" },
  "/projects/[project]/issues/searches": { GET: "viewer", POST: "member" },
  "/projects/[project]/logs": { GET: "viewer" },
  "/projects/[project]/metrics": { GET: "viewer" },
  "/projects/[project]/metrics/completions": { GET: "viewer" },
  "/projects/[project]/metrics/explore": { GET: "viewer" },
  "/projects/[project]/monitors": { GET: "viewer" },
  "/projects/[project]/monitors/[monitor]": { GET: "viewer", POST: "member" },
  "/projects/[project]/monitors/[monitor]/edit": { GET: "member", POST: "member" },
  "/projects/[project]/monitors/[monitor]/incidents/[incident]": { GET: "viewer", POST: "member" },
  "/projects/[project]/monitors/new": { GET: "member", POST: "member" },
  "/projects/[project]/monitors/crons": { GET: "viewer" },
  "/projects/[project]/monitors/crons/[cron]": { GET: "viewer", POST: "member" },
  "/projects/[project]/monitors/crons/[cron]/edit": { GET: "member", POST: "member" },
  "/projects/[project]/monitors/crons/new": { GET: "member", POST: "member" },
  "/projects/[project]/performance": { GET: "viewer" },
  "/projects/[project]/profiling": { GET: "viewer" },
  "/projects/[project]/profiling/[profile]": { GET: "viewer" },
  "/projects/[project]/profiling/[profile]/chart": { GET: "viewer" },
  "/projects/[project]/profiling/[profile]/embedded": { GET: "viewer" },
  "/projects/[project]/profiling/[profile]/export": { GET: "viewer" },
  "/projects/[project]/profiling/[profile]/flamegraph": { GET: "viewer" },
  "/projects/[project]/profiling/compare": { GET: "viewer" },
  "/projects/[project]/profiling/compare/export": { GET: "viewer" },
  "/projects/[project]/profiling/compare/flamegraph": { GET: "viewer" },
  "/projects/[project]/profiling/export": { GET: "viewer" },
  "/projects/[project]/profiling/flamegraph": { GET: "viewer" },
  "/projects/[project]/queries": { GET: "viewer" },
  "/projects/[project]/queries/detail": { GET: "viewer" },
  "/projects/[project]/releases": { GET: "viewer" },
  "/projects/[project]/releases/compare": { GET: "viewer" },
  "/projects/[project]/releases/detail": { GET: "viewer" },
  "/projects/[project]/settings": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/channels": { GET: "viewer" },
  "/projects/[project]/settings/channels/[channel]": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/channels/new": { GET: "admin", POST: "admin" },
  "/projects/[project]/settings/ownership": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/code": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/code/[mapping]": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/discards": { POST: "admin" },
  "/projects/[project]/settings/filters": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/grouping": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/keys": { GET: "member", POST: "admin" },
  "/projects/[project]/settings/performance": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/privacy": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/source-maps": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/source-maps/[bundle]": { GET: "viewer" },
  "/projects/[project]/settings/trackers": { GET: "viewer" },
  "/projects/[project]/settings/trackers/[tracker]": { GET: "viewer", POST: "admin" },
  "/projects/[project]/settings/trackers/new": { GET: "admin", POST: "admin" },
  "/projects/[project]/setup": { GET: "viewer" },
  "/projects/[project]/setup/stream": { GET: "viewer" },
  "/projects/[project]/site": { GET: "viewer" },
  "/projects/[project]/traces": { GET: "viewer" },
  "/projects/[project]/traces/[trace]": { GET: "viewer" },
  "/projects/[project]/traces/[trace]/data": { GET: "viewer" },
  "/projects/[project]/traces/[trace]/spans/[span]": { GET: "viewer" },
  "/projects/[project]/transactions": { GET: "viewer" },
  "/projects/[project]/transactions/flamegraph": { GET: "viewer" },
  "/projects/[project]/transactions/summary": { GET: "viewer" },
  "/projects/[project]/web-vitals": { GET: "viewer" },
  "/projects/[project]/web-vitals/page": { GET: "viewer" },
  "/projects/new": { GET: "signed-in", POST: "admin" },
  "/sign-in": { GET: "anybody", POST: "anybody" },
  "/sign-out": { GET: "anybody", POST: "anybody" },
  "/sign-up": { GET: "anybody", POST: "anybody" },
};

/** What is sent where an empty form is not even looked at; incomplete all the same, so that nothing changes. */
const FORMS: Readonly<Record<string, Record<string, string>>> = {
  "/organizations/[organization]/settings": { action: "invite", role: "viewer" },
  "/organizations/[organization]/settings/tokens": { action: "create" },
  "/projects/[project]/settings/keys": { action: "create" },
};

Deno.test("every page route has a rule for who may ask", async () => {
  const folder = new URL("../../../routes/(ui)/", import.meta.url);
  const patterns = await Array.fromAsync(patternsBelow(folder, ""));
  assert.deepEqual(patterns.sort(), Object.keys(RULES).sort());
});

Deno.test("every page turns away nobody, strangers and roles that are too weak, and nobody else", async () => {
  await using app = await acme();
  const paths = await pathsOf(app);
  const organization = app.organization.id;
  const forms: typeof FORMS = {
    ...FORMS,
    "/instance": { organization, quota: "many" },
    "/projects/new": { organization },
  };
  const visitors: [who: string, role: Role | null, visitor: Visitor][] = [
    ["nobody", null, app.visitor()],
    ["a stranger", null, await stranger(app)],
  ];
  for (const role of ROLES) {
    const visitor = role === "owner" ? app.owner : (await app.member(role)).visitor;
    visitors.push([role, role, visitor]);
  }
  for (const [pattern, path] of paths) {
    for (const method of ["GET", "POST"] as const) {
      const needed = RULES[pattern]?.[method];
      for (const [who, role, visitor] of visitors) {
        const answer = await ask(visitor, method, path, forms[pattern] ?? {});
        const expected = verdict(needed, who, role);
        assert.equal(outcome(answer), expected, `${method} ${pattern} as ${who}: ${answer.status}`);
      }
    }
  }
});

type Verdict = "let in" | "sign in first" | "forbidden" | "not found";

function verdict(needed: Who | undefined, who: string, role: Role | null): Verdict {
  if (needed === undefined) return "not found";
  if (needed === "anybody") return "let in";
  if (who === "nobody") return "sign in first";
  if (needed === "signed-in") return "let in";
  // The owner of these tests has claimed the instance.
  if (needed === "instance") return role === "owner" ? "let in" : "not found";
  if (role === null) return "not found";
  return ROLES.indexOf(role) >= ROLES.indexOf(needed) ? "let in" : "forbidden";
}

function outcome({ status, location }: Answer): Verdict | number {
  if (status === 303 && location?.startsWith("/sign-in?next=")) return "sign in first";
  if (status === 403) return "forbidden";
  if (status === 404 || status === 405) return "not found";
  return status < 500 ? "let in" : status;
}

async function ask(
  visitor: Visitor,
  method: "GET" | "POST",
  path: string,
  form: Record<string, string>,
): Promise<Answer> {
  // What happens after the gate is not asked for: signing out would change who is asking.
  const cookies = [...visitor.cookies];
  const answer = method === "GET" ? await visitor.get(path) : await visitor.post(path, form);
  visitor.cookies.clear();
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return answer;
}

const CODE = {
  host: "github",
  address: "https://github.com/acme/shop",
  repository: "",
  stackRoot: "",
  sourceRoot: "",
  defaultBranch: "main",
};
const TRACKER = { name: "GitHub", url: "https://github.com", project: "acme/shop" };
const MAIL = { name: "On call", addresses: "oncall@example.com" };

/** A concrete address for each pattern, that of signing out last because it ends sessions. */
async function pathsOf(app: Acme): Promise<[pattern: string, path: string][]> {
  const { kv, writer, sql, objects } = app.services;
  const project = await createProject(kv, {
    organizationId: app.organization.id,
    name: "Shop",
    platform: "node",
  });
  const event = errorEvent();
  const attachment = attachmentRecord({ eventId: event.eventId });
  await objects.put(attachment.blob.key, attachment.blob.bytes);
  const spans = spanBatchRecord();
  const profile = profileRecord();
  await objects.put(profile.blob.key, pprofGzip());
  const records = [event, attachment, spans, profile, checkInRecord()];
  await writer.commit(project.id, { records, outcomes: [] });
  const dashboard = await createDashboard(
    sql,
    project.id,
    { name: "Overview", content: EMPTY_CONTENT },
    null,
  );
  const [issue] = await sql<
    { id: string }[]
  >`select id from issues where project_id = ${project.id}`;
  const { monitorId, incidentId } = await storedMonitor(app.services, project.id);
  const organizationId = app.organization.id;
  const tracker = await addConnection(app.services, project.id, "github", TRACKER, "");
  const values: Record<string, string> = {
    team: (await createTeam(kv, { organizationId, name: "Backend" })).id,
    mapping: await addMapping(sql, project.id, CODE, ""),
    tracker: tracker.connection.connectionId,
    monitor: monitorId,
    incident: incidentId,
    organization: app.organization.slug,
    project: project.id,
    dashboard: dashboard.dashboardId,
    panel: "new",
    cron: "nightly-report",
    bundle: await storedBundle(sql, project.id, "shop@1"),
    ready: "host",
    issue: issue?.id ?? "",
    event: "latest",
    attachment: attachment.attachmentId,
    trace: spans.traceId,
    span: spans.spans[0]?.spanId ?? "",
    profile: profile.profileId,
    channel: (await addChannel(app.services, project.id, "email", MAIL, "")).channel.channelId,
    post: await statusPost(app),
    job: await askForJob(app.services, organizationId, "export", { kind: "id", value: "7" }, ""),
    alert: (await createRule(sql, project.id, alertInput(), "olga@example.com")).ruleId,
  };
  // A stream answers with its head at once and ends when the app stops.
  const patterns = Object.keys(RULES).filter((pattern) => !pattern.endsWith("/stream"));
  return patterns.sort((a, b) => Number(a === "/sign-out") - Number(b === "/sign-out"))
    .map((pattern) => {
      const path = pattern.replaceAll(/\[(\w+)\]/g, (_, name) => values[name] ?? "");
      const search = pattern.endsWith("/links") ? `?tracker=${values.tracker}` : "";
      return [pattern, path + search];
    });
}

/** An incident on Acme's status page. */
async function statusPost({ services: { kv }, organization: { id } }: Acme): Promise<string> {
  await savePage(kv, id, SETTINGS, "");
  const { postId } = await createPost(kv, id, INCIDENT, { by: "", isTold: false });
  return postId;
}

async function stranger(app: Acme): Promise<Visitor> {
  const { kv } = app.services;
  const user = await person(kv, "stranger");
  await createOrganization(kv, { name: "Elsewhere", ownerId: user.id });
  const visitor = app.visitor();
  await visitor.signIn(user.email);
  return visitor;
}

async function* patternsBelow(folder: URL, prefix: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const stem = name.replace(/\.tsx?$/, "");
    if (isDirectory) {
      yield* patternsBelow(new URL(`${encodeURIComponent(name)}/`, folder), `${prefix}/${name}`);
    } else if (!name.startsWith("_")) {
      yield stem === "index" ? prefix || "/" : `${prefix}/${stem}`;
    }
  }
}
