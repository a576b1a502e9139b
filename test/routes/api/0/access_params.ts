/** Something of every kind that addresses of the API name, for whoever walks them. */
import { putAside } from "@/lib/accounts/deleted_projects.ts";
import { createKey } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { addMember } from "@/lib/accounts/members.ts";
import { createTeam, joinTeam, wishForTeam } from "@/lib/accounts/teams.ts";
import { person } from "@/test/support/people.ts";
import { listDeliveries } from "@/lib/alerts/deliveries/deliveries.ts";
import { enqueueNotice } from "@/lib/alerts/deliveries/queue.ts";
import { addChannel } from "@/lib/alerts/channels/settings.ts";
import { createRule } from "@/lib/alerts/rules.ts";
import { storedMonitor } from "@/test/support/stored_monitors.ts";
import { alertInput } from "@/test/support/alert_input.ts";
import { addMapping } from "@/lib/errors/code/mappings.ts";
import { saveCodeowners } from "@/lib/errors/ownership/settings.ts";
import { shareIssue } from "@/lib/errors/manage/shares.ts";
import { ensureRelease } from "@/lib/releases/mod.ts";
import { attachRemote } from "@/lib/errors/links/link_actions.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { findMonitor } from "@/lib/monitors/cron/monitors.ts";
import { listErrors, noteError } from "@/lib/monitors/cron/processing_errors.ts";
import { apiApp } from "@/test/support/api_app.ts";
import { type TestApi } from "@/test/support/api_people.ts";
import { errorEnvelope } from "@/test/support/envelopes.ts";
import { newEventId } from "@/test/support/error_event.ts";
import { notice } from "@/test/support/notices.ts";
import { storedBundle } from "@/test/support/artifact_bundles.ts";
import {
  attachmentRecord,
  checkInRecord,
  logRecord,
  profileRecord,
} from "@/test/support/records.ts";
import { authHeader } from "@/test/support/test_intake.ts";
import { CODE, HOOK } from "./access_rules.ts";

type Params = Record<string, string>;

/** What is made for addresses that name it, and under which names; the rest of a project would make each of a thousand calls slow. */
const MAKERS: readonly {
  readonly names: RegExp;
  readonly make: (api: TestApi, projectId: string) => Promise<Params>;
}[] = [
  {
    names: /issue|:(event|tag|note|attachment|share|trace|profile|monitor|environment|error)\b/,
    make: freshIssue,
  },
  { names: /:channel\b/, make: freshDelivery },
  { names: /:uptime\b/, make: freshUptime },
  { names: /:(version|bundle|file)\b|artifact-bundles/, make: freshRelease },
  { names: /codeowners/, make: freshCodeowners },
  { names: /:mapping\b/, make: freshMapping },
  { names: /:alert\b/, make: freshAlert },
  { names: /:dashboard\b/, make: freshDashboard },
  { names: /:job\b/, make: freshJob },
  {
    names: /:(ex|im)port\b/,
    make: async (api, projectId) => ({
      export: await freshTransfer(api, projectId, "export"),
      import: await freshTransfer(api, projectId, "import"),
    }),
  },
  { names: /:deleted\b/, make: freshDeleted },
  // An organization has a limit of them.
  { names: /:(team|member|request)\b/, make: freshTeam },
  { names: /:key\b/, make: freshKey },
];

/**
 * A project of its own, with one of each thing that addresses name.
 *
 * @param pattern the one address it is for: what that does not name is not made
 */
export async function freshParams(api: TestApi, pattern?: string): Promise<Params> {
  const organizationId = api.organization.id;
  const project = await createProject(api.services.kv, {
    organizationId,
    name: "Walk",
    platform: "",
  });
  const made: Params = {
    organization: api.organization.slug,
    project: project.id,
    search: "0",
    invitation: "0".repeat(32),
    joinRequest: "0".repeat(32),
    secret: "none",
  };
  for (const { names, make } of MAKERS) {
    if (pattern === undefined || names.test(pattern)) {
      Object.assign(made, await make(api, project.id));
    }
  }
  return made;
}

/** An error with all that hangs on it, and what else a project is sent. */
async function freshIssue(api: TestApi, projectId: string): Promise<Params> {
  const { kv, sql, objects, writer } = api.services;
  const key = await createKey(kv, { projectId, name: "walk", type: "server" });
  const { eventId, body } = errorEnvelope("Walk");
  const response = await apiApp(api.services)(`/api/${projectId}/envelope/`, {
    method: "POST",
    headers: authHeader(key.publicKey),
    body,
  });
  await response.body?.cancel();
  const trace = newEventId();
  const profile = profileRecord();
  // Every answer is read as JSON here.
  await objects.put(profile.blob.key, new TextEncoder().encode('"pprof"'));
  const file = attachmentRecord({ eventId });
  const records = [logRecord({ traceId: trace }), profile, checkInRecord(), file];
  await writer.commit(projectId, { records, outcomes: [] });
  const [found] = await sql<{ id: string }[]>`
    select id from issues where project_id = ${projectId}
  `;
  const issue = found?.id ?? "";
  const share = await shareIssue(sql, { projectId, issueId: issue, by: api.owner.id });
  const linking = { projectId, issueId: issue, by: "", userId: null };
  const { id: link } = await attachRemote(api.services, linking, "https://example.com/walk");
  return {
    issue,
    event: eventId,
    attachment: file.attachmentId,
    tag: "level",
    note: "1",
    share: share?.id ?? "",
    link,
    trace,
    profile: profile.profileId,
    ...await freshMonitor(api, projectId),
  };
}

async function freshUptime({ services }: TestApi, projectId: string): Promise<Params> {
  const { monitorId, incidentId } = await storedMonitor(services, projectId);
  return { uptime: monitorId, incident: incidentId };
}

async function freshRelease({ services: { sql } }: TestApi, projectId: string): Promise<Params> {
  await ensureRelease(sql, projectId, RELEASE);
  return { version: RELEASE, file: "1", bundle: await storedBundle(sql, projectId, RELEASE) };
}

async function freshCodeowners(
  { services, organization: { id: organizationId } }: TestApi,
  projectId: string,
): Promise<Params> {
  const project = { id: projectId, organizationId };
  const { id: codeowners } = await saveCodeowners(services, project, { raw: "* @x" }, "");
  return { codeowners };
}

async function freshMapping({ services: { sql } }: TestApi, projectId: string): Promise<Params> {
  return { mapping: await addMapping(sql, projectId, CODE, "") };
}

async function freshAlert({ services: { sql } }: TestApi, projectId: string): Promise<Params> {
  return { alert: (await createRule(sql, projectId, alertInput(), "")).ruleId };
}

async function freshDashboard({ services: { sql } }: TestApi, projectId: string): Promise<Params> {
  const content = { name: "Overview", content: EMPTY_CONTENT };
  return { dashboard: (await createDashboard(sql, projectId, content, null)).dashboardId };
}

async function freshDeleted(
  { services: { kv }, organization: { id: organizationId } }: TestApi,
): Promise<Params> {
  const deleted = await createProject(kv, { organizationId, name: "Deleted", platform: "" });
  await putAside(kv, deleted.id, "ann");
  return { deleted: deleted.id };
}

async function freshKey({ services: { kv } }: TestApi, projectId: string): Promise<Params> {
  return { key: (await createKey(kv, { projectId, name: "walk", type: "server" })).publicKey };
}

/** An export of an end user's data that is done. */
async function freshJob({ services: { sql }, organization }: TestApi): Promise<Params> {
  const id = crypto.randomUUID();
  await sql`
    insert into end_user_jobs (
      id, organization_id, kind, identity_kind, identity_hash, state, asked_by, projects, progress,
      expires_at
    ) values (
      ${id}, ${organization.id}, 'export', 'id', 'hash', 'done', 'ann@example.com', '[]',
      '{"project": 0, "source": 0, "cursor": null}', now() + interval '1 day'
    )
  `;
  return { job: id };
}

/** An export or import that is done. */
async function freshTransfer(
  { services: { sql }, organization }: TestApi,
  projectId: string,
  kind: string,
): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into transfers (
      project_id, id, organization_id, kind, state, asked_by, progress, expires_at
    ) values (
      ${projectId}, ${id}, ${organization.id}, ${kind}, 'done', 'ann@example.com',
      '{"step": 0, "cursor": null, "parts": 0}', now() + interval '1 day'
    )
  `;
  return id;
}

/** A team that somebody is in, and somebody else asks to join. */
async function freshTeam(api: TestApi) {
  const { services: { kv }, organization } = api;
  const team = await createTeam(kv, { organizationId: organization.id, name: "Walkers" });
  const [member, other] = [await freshMember(api), await freshMember(api)];
  await joinTeam(kv, team, member.id);
  await wishForTeam(kv, team, other.id, false);
  return { team: team.id, member: member.id, request: `${team.id}-${other.id}` };
}

/** Somebody new, whom it does not matter to remove. */
async function freshMember({ services: { kv }, organization, owner }: TestApi) {
  const user = await person(kv, `walk-${crypto.randomUUID()}`);
  const by = { role: "owner", userId: owner.id } as const;
  await addMember(kv, by, organization.id, user.id, "viewer");
  return user;
}

/** A channel and a notice that waits for it. */
async function freshDelivery({ services }: TestApi, projectId: string) {
  const { sql } = services;
  const { channel } = await addChannel(services, projectId, "webhook", HOOK, "");
  const { channelId } = channel;
  await enqueueNotice(sql, notice({ projectId }), [channelId]);
  const { rows } = await listDeliveries(sql, projectId, channelId, { cursor: null, limit: 1 });
  return { channel: channelId, delivery: rows[0]?.deliveryId ?? "" };
}

/** The monitor that a check-in has made, with one that was not taken. */
async function freshMonitor({ services: { sql } }: TestApi, projectId: string) {
  const slug = "nightly-report";
  const monitor = await findMonitor(sql, projectId, slug);
  const environment = "production";
  const notedAt = new Date();
  await noteError(sql, projectId, {
    slug,
    environment,
    type: "CHECKIN_FINISHED",
    detail: "",
    notedAt,
  });
  const [error] = await listErrors(sql, projectId, slug);
  return { monitor: monitor?.monitorId ?? "", environment, error: error?.errorId ?? "" };
}

export const RELEASE = "shop@1";

/** The address of a rule, with what it needs behind the question mark. */
export function fill(pattern: string, params: Record<string, string>): string {
  const path = pattern.replaceAll(/:(\w+)/g, (_, name) => params[name] ?? "");
  if (path.endsWith("/issues")) return `${path}?project=${params.project}`;
  if (path.endsWith("/issues-count")) return `${path}/?query=is:unresolved`;
  if (path.endsWith("/issues-stats")) return `${path}/?groups=${params.issue}`;
  if (path.endsWith("/artifact-bundles")) return `${path}/?release=${RELEASE}`;
  if (/\/metrics\/./.test(path)) return `${path}/?metric=requests`;
  if (path.endsWith("/stacktrace-link")) return `${path}/?file=src/cart.ts`;
  if (path.endsWith("/monitors-schedule-data")) return `${path}/?schedule=@daily`;
  return path.endsWith("/summary") ? `${path}/?name=GET%20/` : `${path}/`;
}
