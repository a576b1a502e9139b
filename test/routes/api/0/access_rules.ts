/** Who may do what at every address of the management API. */
import { type Role } from "@/lib/accounts/members.ts";
import { monitorInput } from "@/test/support/stored_monitors.ts";
import { alertInput } from "@/test/support/alert_input.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { toDocument } from "@/lib/dashboards/document.ts";

export interface Rule {
  readonly method: string;
  /** As in the route's file, without `/api/0` and `{/}?`. */
  readonly pattern: string;
  /** The weakest role that may do it; `everybody` gets an answer about themselves. */
  readonly weakest:
    | Role
    | "everybody"
    | "anybody with an account"
    | "a person"
    | "a viewer who is a person"
    | "a member who is a person"
    | "a person who is admin";
  readonly body?: unknown;
  /** What those who may are answered where no body in JSON will do. @default some success */
  readonly status?: number;
}

const ORGANIZATION = "/organizations/:organization";
const PROJECT = "/projects/:organization/:project";

const CHANNEL = `${PROJECT}/channels/:channel`;
const UPTIME = `${PROJECT}/uptime/:uptime`;
const ALERT = `${PROJECT}/alerts/:alert`;
/** Nobody listens there, which is known at once: to learn that a name is nobody's may take longer than a test. */
export const HOOK = { name: "Ops", url: "https://127.0.0.1:9/watchpost" };

export const DASHBOARD = toDocument({ name: "Overview", content: EMPTY_CONTENT });

/** Of a monitor, below its organization and below its project. */
function monitorRules(path: string): Rule[] {
  const environment = `${path}/environments/:environment`;
  return [
    { method: "GET", pattern: path, weakest: "viewer" },
    { method: "PUT", pattern: path, weakest: "member", body: { is_muted: true } },
    { method: "DELETE", pattern: path, weakest: "member" },
    { method: "GET", pattern: `${path}/checkins`, weakest: "viewer" },
    { method: "GET", pattern: `${path}/stats`, weakest: "viewer" },
    { method: "PUT", pattern: environment, weakest: "member", body: { isMuted: true } },
    { method: "DELETE", pattern: environment, weakest: "member" },
    { method: "GET", pattern: `${path}/processing-errors`, weakest: "viewer" },
    { method: "DELETE", pattern: `${path}/processing-errors/:error`, weakest: "member" },
  ];
}

const MONITOR = {
  project: "acme-shop",
  name: "Backup",
  config: { schedule: "@daily", schedule_type: "crontab" },
};

const TEAM = "/teams/:organization/:team";
const REQUESTS = `${ORGANIZATION}/invite-requests`;
const PROPOSAL = {
  // Each is another one.
  get email() {
    return `${crypto.randomUUID()}@example.com`;
  },
};
const ACCEPT = "/accept-invite/:organization/:invitation/:secret";
const MEMBER = `${ORGANIZATION}/members/:member`;

const TEAM_RULES: readonly Rule[] = [
  { method: "GET", pattern: "/auth", weakest: "anybody with an account" },
  { method: "GET", pattern: "/users/me", weakest: "a person" },
  { method: "GET", pattern: `${ORGANIZATION}/teams`, weakest: "viewer" },
  { method: "POST", pattern: `${ORGANIZATION}/teams`, weakest: "manager", body: { name: "New" } },
  { method: "GET", pattern: TEAM, weakest: "viewer" },
  { method: "PUT", pattern: TEAM, weakest: "manager", body: {} },
  { method: "DELETE", pattern: TEAM, weakest: "manager" },
  { method: "GET", pattern: `${TEAM}/members`, weakest: "viewer" },
  { method: "GET", pattern: `${TEAM}/projects`, weakest: "viewer" },
  { method: "POST", pattern: `${TEAM}/projects`, weakest: "admin", body: { name: "New" } },
  { method: "GET", pattern: `${PROJECT}/teams`, weakest: "viewer" },
  { method: "POST", pattern: `${PROJECT}/teams/:team`, weakest: "admin" },
  { method: "DELETE", pattern: `${PROJECT}/teams/:team`, weakest: "admin" },
  { method: "GET", pattern: `${ORGANIZATION}/members`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/members`,
    weakest: "a person who is admin",
    body: { email: "new@example.com" },
  },
  { method: "GET", pattern: REQUESTS, weakest: "admin" },
  { method: "POST", pattern: REQUESTS, weakest: "a viewer who is a person", body: PROPOSAL },
  { method: "GET", pattern: `${REQUESTS}/:joinRequest`, weakest: "viewer", status: 404 },
  { method: "PUT", pattern: `${REQUESTS}/:joinRequest`, weakest: "admin", body: {}, status: 404 },
  { method: "DELETE", pattern: `${REQUESTS}/:joinRequest`, weakest: "viewer", status: 404 },
  // Of no invitation.
  { method: "GET", pattern: ACCEPT, weakest: "everybody", status: 400 },
  { method: "POST", pattern: ACCEPT, weakest: "everybody", status: 400 },
  { method: "GET", pattern: MEMBER, weakest: "viewer" },
  { method: "PUT", pattern: MEMBER, weakest: "admin", body: {} },
  { method: "DELETE", pattern: MEMBER, weakest: "admin" },
  { method: "POST", pattern: `${MEMBER}/teams/:team`, weakest: "manager" },
  {
    method: "PUT",
    pattern: `${MEMBER}/teams/:team`,
    weakest: "manager",
    body: { teamRole: "contributor" },
  },
  { method: "GET", pattern: `${ORGANIZATION}/access-requests`, weakest: "viewer" },
  {
    method: "PUT",
    pattern: `${ORGANIZATION}/access-requests/:request`,
    weakest: "manager",
    body: { isApproved: true },
  },
  { method: "DELETE", pattern: `${MEMBER}/teams/:team`, weakest: "manager" },
  { method: "GET", pattern: `${ORGANIZATION}/users`, weakest: "viewer" },
  { method: "GET", pattern: `${ORGANIZATION}/shortids/:issue`, weakest: "viewer" },
  ...searchRules(),
  ...[
    "environments",
    "metrics/data",
    "replays",
    "sessions",
    "trace/:trace",
    "trace-meta/:trace",
    "events",
    "events-stats",
    "events/validate",
    "stats_v2",
    "tags",
    "trace-items/attributes",
  ]
    .map((path) => ({
      method: "GET",
      pattern: `${ORGANIZATION}/${path}`,
      weakest: "viewer",
    } as const)),
  { method: "GET", pattern: `${PROJECT}/exports`, weakest: "manager" },
  { method: "POST", pattern: `${PROJECT}/exports`, weakest: "manager", body: {} },
  { method: "GET", pattern: `${PROJECT}/exports/:export`, weakest: "manager" },
  { method: "GET", pattern: `${PROJECT}/exports/:export/download`, weakest: "manager" },
  { method: "GET", pattern: `${PROJECT}/imports`, weakest: "manager" },
  { method: "POST", pattern: `${PROJECT}/imports`, weakest: "manager", status: 415 },
  { method: "GET", pattern: `${PROJECT}/imports/:import`, weakest: "manager" },
  { method: "GET", pattern: `${PROJECT}/environments`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/members`, weakest: "viewer" },
];

const SHA1 = "f".repeat(40);
const BUNDLE = `${PROJECT}/artifact-bundles/:bundle`;

/** Uploads of source maps. */
const UPLOADS: readonly Rule[] = [
  { method: "GET", pattern: `${ORGANIZATION}/chunk-upload`, weakest: "member" },
  // What is sent there are forms with files.
  { method: "POST", pattern: `${ORGANIZATION}/chunk-upload`, weakest: "member", status: 415 },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/artifactbundle/assemble`,
    weakest: "member",
    body: { checksum: SHA1, chunks: [SHA1], projects: ["acme-shop"] },
  },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/releases/:version/assemble`,
    weakest: "member",
    body: { checksum: SHA1, chunks: [SHA1] },
  },
  {
    method: "POST",
    pattern: `${PROJECT}/files/difs/assemble`,
    weakest: "member",
    body: { [SHA1]: { name: "libshop.so", chunks: [SHA1] } },
  },
  { method: "POST", pattern: `${PROJECT}/files/dsyms`, weakest: "member", status: 415 },
  { method: "GET", pattern: `${PROJECT}/files/artifact-bundles`, weakest: "viewer" },
  { method: "DELETE", pattern: `${PROJECT}/files/artifact-bundles`, weakest: "admin" },
  { method: "GET", pattern: BUNDLE, weakest: "viewer" },
  { method: "DELETE", pattern: BUNDLE, weakest: "admin" },
  { method: "GET", pattern: `${BUNDLE}/files`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/releases/:version/files`, weakest: "viewer" },
  { method: "POST", pattern: `${PROJECT}/releases/:version/files`, weakest: "member", status: 410 },
  {
    method: "DELETE",
    pattern: `${PROJECT}/releases/:version/files/:file`,
    weakest: "admin",
    status: 410,
  },
];

/** Of the links of an issue, whether its address names its organization or not. */
function linkRules(issue: string): Rule[] {
  const links = `${issue}/external-issues`;
  return [
    { method: "GET", pattern: links, weakest: "viewer" },
    {
      method: "POST",
      pattern: links,
      weakest: "member",
      body: { webUrl: "https://example.com/1" },
    },
    { method: "DELETE", pattern: `${links}/:link`, weakest: "member" },
    { method: "GET", pattern: `${issue}/integrations`, weakest: "viewer" },
  ];
}

export const CODE = {
  host: "github",
  address: "https://github.com/acme/shop",
  repository: "",
  stackRoot: "",
  sourceRoot: "",
  defaultBranch: "main",
};

const MAPPING = `${ORGANIZATION}/code-mappings/:mapping`;

const CODE_RULES: readonly Rule[] = [
  { method: "GET", pattern: `${ORGANIZATION}/integrations`, weakest: "viewer" },
  { method: "GET", pattern: `${ORGANIZATION}/config/integrations`, weakest: "viewer" },
  { method: "GET", pattern: `${ORGANIZATION}/code-mappings`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/code-mappings`,
    weakest: "admin",
    body: {
      projectId: "acme-shop",
      address: "https://github.com/acme/shop",
      // Each is another one.
      get stackRoot() {
        return crypto.randomUUID();
      },
    },
  },
  { method: "PUT", pattern: MAPPING, weakest: "admin", body: {} },
  { method: "DELETE", pattern: MAPPING, weakest: "admin" },
  { method: "GET", pattern: `${PROJECT}/stacktrace-link`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/ownership`, weakest: "viewer" },
  { method: "PUT", pattern: `${PROJECT}/ownership`, weakest: "admin", body: {} },
  { method: "GET", pattern: `${PROJECT}/codeowners`, weakest: "viewer" },
  // There is a file already.
  {
    method: "POST",
    pattern: `${PROJECT}/codeowners`,
    weakest: "admin",
    body: { raw: "* @x" },
    status: 400,
  },
  { method: "PUT", pattern: `${PROJECT}/codeowners/:codeowners`, weakest: "admin", body: {} },
  { method: "DELETE", pattern: `${PROJECT}/codeowners/:codeowners`, weakest: "admin" },
  { method: "GET", pattern: `${PROJECT}/events/:event/owners`, weakest: "viewer" },
  // Nobody has told of commits; suspects_test.ts has some that only the organization sees.
  {
    method: "GET",
    pattern: `${PROJECT}/events/:event/committers`,
    weakest: "viewer",
    status: 404,
  },
];

/** Of an issue, its discussion and figures. */
function issueRules(issue: string): Rule[] {
  const reading = [
    "",
    "/events",
    "/events/:event",
    "/activities",
    "/participants",
    "/tags",
    "/tags/:tag",
    "/tags/:tag/values",
    "/user-reports",
    "/user-feedback",
    "/stats",
    "/attachments",
    "/first-last-release",
    "/current-release",
    "/hashes",
    "/similar",
  ];
  return [
    ...reading.map((path): Rule => (
      { method: "GET", pattern: issue + path, weakest: "viewer" }
    )),
    { method: "PUT", pattern: issue, weakest: "member", body: {} },
    { method: "DELETE", pattern: issue, weakest: "admin" },
    { method: "POST", pattern: `${issue}/map-again`, weakest: "member" },
    // Its only group cannot be split off.
    { method: "DELETE", pattern: `${issue}/hashes`, weakest: "member", status: 400 },
    ...["notes", "comments"].flatMap((notes) => noteRules(`${issue}/${notes}`)),
  ];
}

/** Searches are kept for people: the bootstrap token keeps none. */
function searchRules(): Rule[] {
  const weakest = "a member who is a person";
  const search = { name: "Mine", query: "assigned:me" };
  const of = (path: string) => `${ORGANIZATION}/${path}`;
  return [
    { method: "GET", pattern: of("searches"), weakest: "viewer" },
    { method: "POST", pattern: of("searches"), weakest, body: search },
    { method: "PUT", pattern: of("searches/:search"), weakest, body: search, status: 404 },
    { method: "DELETE", pattern: of("searches/:search"), weakest, status: 404 },
    { method: "PUT", pattern: of("pinned-searches"), weakest, body: { query: "assigned:me" } },
    { method: "DELETE", pattern: of("pinned-searches"), weakest },
    { method: "GET", pattern: of("recent-searches"), weakest: "viewer" },
    {
      method: "POST",
      pattern: of("recent-searches"),
      weakest,
      get body() {
        return { query: crypto.randomUUID() };
      },
    },
  ];
}

/** A note is somebody's: the bootstrap token has none, and of others' nobody hears. */
function noteRules(notes: string): Rule[] {
  const note = {
    // Each is another one.
    get text() {
      return crypto.randomUUID();
    },
  };
  return [
    { method: "GET", pattern: notes, weakest: "viewer" },
    { method: "POST", pattern: notes, weakest: "a member who is a person", body: note },
    {
      method: "PUT",
      pattern: `${notes}/:note`,
      weakest: "a member who is a person",
      body: note,
      status: 404,
    },
    {
      method: "DELETE",
      pattern: `${notes}/:note`,
      weakest: "a member who is a person",
      status: 404,
    },
  ];
}

/** Of releases, below their organization and below a project. */
function releaseRules(releases: string): Rule[] {
  const release = `${releases}/:version`;
  return [
    { method: "GET", pattern: releases, weakest: "viewer" },
    {
      method: "POST",
      pattern: releases,
      weakest: "member",
      body: { version: "shop@2", projects: ["acme-shop"] },
    },
    { method: "GET", pattern: release, weakest: "viewer" },
    { method: "PUT", pattern: release, weakest: "member", body: {} },
    { method: "GET", pattern: `${release}/commits`, weakest: "viewer" },
    { method: "GET", pattern: `${release}/commitfiles`, weakest: "viewer" },
    { method: "GET", pattern: `${release}/previous-with-commits`, weakest: "viewer" },
    { method: "GET", pattern: `${release}/deploys`, weakest: "viewer" },
    {
      method: "POST",
      pattern: `${release}/deploys`,
      weakest: "member",
      body: { environment: "production" },
    },
  ];
}

export const RULES: readonly Rule[] = [
  ...issueRules("/issues/:issue"),
  ...issueRules("/groups/:issue"),
  ...issueRules(`${ORGANIZATION}/issues/:issue`),
  ...["issues-count", "issues-stats", "activity", "eventids/:event"].map((path): Rule => (
    { method: "GET", pattern: `${ORGANIZATION}/${path}`, weakest: "viewer" }
  )),
  { method: "GET", pattern: `${PROJECT}/events/:event/attachments`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/events/:event/attachments/:attachment`, weakest: "viewer" },
  ...releaseRules(`${ORGANIZATION}/releases`),
  ...releaseRules(`${PROJECT}/releases`),
  { method: "GET", pattern: `${ORGANIZATION}/repos`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/repos`,
    weakest: "member",
    body: { name: "acme/shop" },
  },
  // What a script forgot to say deletes nothing.
  { method: "DELETE", pattern: `${ORGANIZATION}/issues`, weakest: "admin", status: 400 },
  { method: "DELETE", pattern: `${PROJECT}/issues`, weakest: "admin", status: 400 },
  // Who holds a link is shown what it is about.
  { method: "GET", pattern: "/shared/issues/:share", weakest: "everybody" },
  { method: "GET", pattern: `${ORGANIZATION}/shared/issues/:share`, weakest: "everybody" },
  ...UPLOADS,
  ...linkRules("/issues/:issue"),
  ...linkRules(`${ORGANIZATION}/issues/:issue`),
  ...CODE_RULES,
  ...monitorRules(`${ORGANIZATION}/monitors/:monitor`),
  ...monitorRules(`${PROJECT}/monitors/:monitor`),
  { method: "GET", pattern: `${PROJECT}/processing-errors`, weakest: "viewer" },
  { method: "GET", pattern: `${ORGANIZATION}/monitors`, weakest: "viewer" },
  { method: "POST", pattern: `${ORGANIZATION}/monitors`, weakest: "member", body: MONITOR },
  {
    method: "PUT",
    pattern: `${ORGANIZATION}/monitors`,
    weakest: "member",
    body: { ids: [], is_muted: true },
  },
  { method: "GET", pattern: `${ORGANIZATION}/monitors-stats`, weakest: "viewer" },
  { method: "GET", pattern: `${ORGANIZATION}/monitors-schedule-data`, weakest: "viewer" },
  { method: "GET", pattern: "", weakest: "everybody" },
  { method: "GET", pattern: "/openapi.json", weakest: "everybody" },
  { method: "GET", pattern: "/organizations", weakest: "anybody with an account" },
  { method: "GET", pattern: "/projects", weakest: "anybody with an account" },
  { method: "GET", pattern: ORGANIZATION, weakest: "viewer" },
  { method: "PUT", pattern: ORGANIZATION, weakest: "manager", body: { scrubIPAddresses: true } },
  { method: "GET", pattern: `${ORGANIZATION}/audit-logs`, weakest: "manager" },
  { method: "GET", pattern: `${ORGANIZATION}/audit-logs/export`, weakest: "manager" },
  { method: "GET", pattern: `${ORGANIZATION}/end-user-data`, weakest: "manager" },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/end-user-data`,
    weakest: "manager",
    body: { kind: "export", identity: { kind: "id", value: "7" } },
  },
  { method: "GET", pattern: `${ORGANIZATION}/end-user-data/:job`, weakest: "manager" },
  { method: "GET", pattern: `${ORGANIZATION}/end-user-data/:job/download`, weakest: "manager" },
  { method: "GET", pattern: `${ORGANIZATION}/projects`, weakest: "viewer" },
  { method: "POST", pattern: `${ORGANIZATION}/projects`, weakest: "admin", body: { name: "New" } },
  ...TEAM_RULES,
  { method: "GET", pattern: `${ORGANIZATION}/issues`, weakest: "viewer" },
  { method: "PUT", pattern: `${ORGANIZATION}/issues`, weakest: "member", body: {} },
  { method: "GET", pattern: `${ORGANIZATION}/deleted-projects`, weakest: "admin" },
  {
    method: "POST",
    pattern: `${ORGANIZATION}/deleted-projects/:deleted/restore`,
    weakest: "admin",
  },
  { method: "GET", pattern: PROJECT, weakest: "viewer" },
  { method: "PUT", pattern: PROJECT, weakest: "admin", body: {} },
  { method: "DELETE", pattern: PROJECT, weakest: "admin" },
  { method: "GET", pattern: `${PROJECT}/keys`, weakest: "member" },
  { method: "POST", pattern: `${PROJECT}/keys`, weakest: "admin", body: {} },
  { method: "GET", pattern: `${PROJECT}/keys/:key`, weakest: "member" },
  { method: "PUT", pattern: `${PROJECT}/keys/:key`, weakest: "admin", body: {} },
  { method: "DELETE", pattern: `${PROJECT}/keys/:key`, weakest: "admin" },
  { method: "GET", pattern: `${PROJECT}/channels`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${PROJECT}/channels`,
    weakest: "admin",
    body: { type: "slack", ...HOOK },
  },
  { method: "GET", pattern: CHANNEL, weakest: "viewer" },
  { method: "PUT", pattern: CHANNEL, weakest: "admin", body: {} },
  { method: "DELETE", pattern: CHANNEL, weakest: "admin" },
  { method: "POST", pattern: `${CHANNEL}/test`, weakest: "admin" },
  { method: "POST", pattern: `${CHANNEL}/secret`, weakest: "admin" },
  { method: "GET", pattern: `${CHANNEL}/deliveries`, weakest: "viewer" },
  { method: "GET", pattern: `${CHANNEL}/deliveries/:delivery`, weakest: "viewer" },
  { method: "POST", pattern: `${CHANNEL}/deliveries/:delivery`, weakest: "admin" },
  { method: "GET", pattern: `${PROJECT}/alerts`, weakest: "viewer" },
  { method: "POST", pattern: `${PROJECT}/alerts`, weakest: "member", body: alertInput() },
  { method: "GET", pattern: ALERT, weakest: "viewer" },
  { method: "PUT", pattern: ALERT, weakest: "member", body: {} },
  { method: "DELETE", pattern: ALERT, weakest: "member" },
  { method: "GET", pattern: `${ALERT}/states`, weakest: "viewer" },
  { method: "GET", pattern: `${ALERT}/history`, weakest: "viewer" },
  { method: "POST", pattern: `${ALERT}/mute`, weakest: "member", body: {} },
  { method: "POST", pattern: `${ALERT}/test`, weakest: "member" },
  { method: "GET", pattern: `${PROJECT}/uptime`, weakest: "viewer" },
  { method: "POST", pattern: `${PROJECT}/uptime`, weakest: "member", body: monitorInput() },
  { method: "GET", pattern: UPTIME, weakest: "viewer" },
  { method: "PUT", pattern: UPTIME, weakest: "member", body: {} },
  { method: "DELETE", pattern: UPTIME, weakest: "member" },
  { method: "GET", pattern: `${UPTIME}/checks`, weakest: "viewer" },
  { method: "GET", pattern: `${UPTIME}/incidents`, weakest: "viewer" },
  { method: "GET", pattern: `${UPTIME}/incidents/:incident`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${UPTIME}/incidents/:incident/comments`,
    weakest: "member",
    body: { text: "A disk" },
  },
  { method: "GET", pattern: `${PROJECT}/issues`, weakest: "viewer" },
  { method: "PUT", pattern: `${PROJECT}/issues`, weakest: "member", body: {} },
  { method: "GET", pattern: `${PROJECT}/events/:event`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/transactions`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/transactions/summary`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/endpoints`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/web-vitals`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/dashboards`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${PROJECT}/dashboards`,
    weakest: "member",
    body: { dashboard: DASHBOARD },
  },
  { method: "GET", pattern: `${PROJECT}/dashboards/:dashboard`, weakest: "viewer" },
  {
    method: "PUT",
    pattern: `${PROJECT}/dashboards/:dashboard`,
    weakest: "member",
    body: { version: 1, dashboard: DASHBOARD },
  },
  { method: "DELETE", pattern: `${PROJECT}/dashboards/:dashboard`, weakest: "member" },
  { method: "GET", pattern: `${PROJECT}/traces`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/traces/:trace`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/profiles`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/profiles/flamegraph`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/profiles/top`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/profiles/:profile`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/profiles/:profile/pprof`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/metrics`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/metrics/labels`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/metrics/labels/:key/values`, weakest: "viewer" },
  { method: "GET", pattern: `${PROJECT}/metrics/query`, weakest: "viewer" },
  {
    method: "POST",
    pattern: `${PROJECT}/metrics/query`,
    weakest: "viewer",
    body: { queries: [{ metric: "requests" }] },
  },
  // Last: the one of the organization deletes the release in all its projects.
  { method: "DELETE", pattern: `${PROJECT}/releases/:version`, weakest: "member" },
  { method: "DELETE", pattern: `${ORGANIZATION}/releases/:version`, weakest: "member" },
];
