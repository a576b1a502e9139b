/** Every page, with something in each of the places that its address names. */
import { addTeamProject, createTeam } from "@/lib/accounts/teams.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { addChannel } from "@/lib/alerts/channels/settings.ts";
import { createRule } from "@/lib/alerts/rules.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { askForJob } from "@/lib/end_users/jobs.ts";
import { addMapping } from "@/lib/errors/code/mappings.ts";
import { addConnection } from "@/lib/errors/links/connections.ts";
import { createPost } from "@/lib/monitors/status/posts.ts";
import { savePage } from "@/lib/monitors/status/status_page.ts";
import { gaugeSeries, metricBatch } from "./metric_series.ts";
import { alertInput } from "./alert_input.ts";
import { storedBundle } from "./artifact_bundles.ts";
import { errorEvent } from "./error_event.ts";
import { pprofGzip } from "./pprof.ts";
import {
  attachmentRecord,
  checkInRecord,
  feedbackRecord,
  logRecord,
  profileRecord,
  sessionRecord,
  spanBatchRecord,
  transactionRecord,
} from "./records.ts";
import { INCIDENT, SETTINGS } from "./status_site.ts";
import { storedMonitor } from "./stored_monitors.ts";
import type { Acme } from "./ui_app.ts";

/** A page's address. */
export interface PagePath {
  /** As its file is named: `/projects/[project]/issues`. */
  readonly pattern: string;
  /** The same, with what is there for its parts. */
  readonly path: string;
}

/** What a page is asked for with, beside its path. */
const SEARCH: Readonly<Record<string, string>> = {
  "/account/confirm": "?next=/account",
};

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
export async function everyPage(app: Acme): Promise<PagePath[]> {
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
  const now = Date.now();
  const records = [
    event,
    attachment,
    spans,
    profile,
    checkInRecord(),
    feedbackRecord(),
    logRecord(),
    sessionRecord(),
    transactionRecord(),
    metricBatch([gaugeSeries("cpu.load", { host: "a" }, [[now - 120_000, 1], [now, 2]])]),
  ];
  await writer.commit(project.id, { records, outcomes: [] });
  const dashboard = await createDashboard(
    sql,
    project.id,
    { name: "Overview", content: EMPTY_CONTENT },
    null,
  );
  const [issue] = await sql<{ id: string }[]>`
    select id from issues where project_id = ${project.id}
  `;
  const { monitorId, incidentId } = await storedMonitor(app.services, project.id);
  const organizationId = app.organization.id;
  const tracker = await addConnection(app.services, project.id, "github", TRACKER, "");
  const values: Record<string, string> = {
    team: (await addTeamProject(
      kv,
      await createTeam(kv, { organizationId, name: "Backend" }),
      project.id,
    )).id,
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
  const folder = new URL("../../routes/(ui)/", import.meta.url);
  const patterns = (await Array.fromAsync(patternsBelow(folder, "")))
    .filter((pattern) => !pattern.endsWith("/stream"));
  return patterns.sort((a, b) => Number(a === "/sign-out") - Number(b === "/sign-out"))
    .map((pattern) => {
      const path = pattern.replaceAll(/\[(\w+)\]/g, (_, name) => values[name] ?? "1");
      const search = pattern.endsWith("/links") ? `?tracker=${values.tracker}` : "";
      return { pattern, path: path + search + (SEARCH[pattern] ?? "") };
    });
}

/** An incident on Acme's status page. */
async function statusPost({ services: { kv }, organization: { id, slug } }: Acme): Promise<string> {
  await savePage(kv, id, { ...SETTINGS, slug }, "");
  const { postId } = await createPost(kv, id, INCIDENT, { by: "", isTold: false });
  return postId;
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
