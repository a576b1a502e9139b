/** What trackers tell by their webhooks: an issue was closed or opened again there, commits were pushed. */
import { findProject, type Project } from "../../accounts/projects.ts";
import { readBody } from "../../core/read_body.ts";
import type { Backend } from "../../store/stores.ts";
import type { Sql } from "../../store/database.ts";
import { type Connection, findConnection, openSecrets } from "./connections.ts";
import { linksToldOf, noteState, type ToldLink } from "./issue_links.ts";
import { settleIssues } from "./settle.ts";
import type { Heard, HeardCommit, HookRequest } from "./tracker.ts";
import { TRACKER_KINDS } from "./tracker_types.ts";

/** Takes the commits of a push to a default branch. Told again of the same ones it changes nothing. */
export type RecordCommits = (
  services: Backend,
  project: Project,
  commits: readonly HeardCommit[],
) => Promise<void>;

/** A push of hundreds of commits, with the files of each, is a tenth of this. */
const MAX_BODY_BYTES = 3_000_000;

interface HookAnswer {
  readonly status: number;
  /** What the tracker shows to whoever looks at its deliveries. */
  readonly detail: string;
}

/**
 * Takes a request of a tracker's webhook. Nothing is believed before its signature is.
 *
 * @param address as the route has it
 * @throws {Refusal} for a body that is too large or too slow
 */
export async function takeHook(
  services: Backend,
  address: { readonly projectId: string; readonly connectionId: string },
  req: Request,
  recordCommits: RecordCommits,
): Promise<HookAnswer> {
  const { sql, kv } = services;
  const found = await findHook(services, address);
  if (found === null) return { status: 404, detail: "There is no such webhook." };
  const connection = found;
  const request: HookRequest = {
    headers: req.headers,
    query: new URL(req.url).searchParams,
    body: await readBody(req, { maxBytes: MAX_BODY_BYTES, stopping: services.stopping }),
  };
  const secrets = await openSecrets(services, connection);
  if (secrets === null) {
    return { status: 503, detail: "The secret cannot be read any more: make a new one." };
  }
  const { hook } = TRACKER_KINDS[connection.type];
  if (!hook.isSigned(request, secrets.hookSecret)) {
    return { status: 401, detail: "The signature or the secret is wrong." };
  }
  const deliveries = hook.deliveriesOf(request);
  if (await wasTaken(sql, connection, deliveries)) {
    return { status: 200, detail: "This delivery was taken before." };
  }
  const body = parse(request.body);
  if (body === undefined) {
    return { status: 400, detail: "The body is not JSON: choose application/json." };
  }
  const project = await findProject(kv, connection.projectId);
  if (project === null) return { status: 404, detail: "There is no such webhook." };
  const detail = await apply(services, project, connection, {
    heard: hook.hear(connection.settings, req.headers, body),
    recordCommits,
  });
  // Last, so that what failed in between is taken when it comes again.
  await noteTaken(sql, connection, deliveries);
  return { status: 200, detail };
}

/** Nobody's connection when its project is gone. */
async function findHook(
  { sql }: Backend,
  { projectId, connectionId }: { readonly projectId: string; readonly connectionId: string },
): Promise<Connection | null> {
  return /^\d{1,18}$/.test(projectId) ? await findConnection(sql, projectId, connectionId) : null;
}

async function apply(
  services: Backend,
  project: Project,
  connection: Connection,
  { heard, recordCommits }: { readonly heard: Heard; readonly recordCommits: RecordCommits },
): Promise<string> {
  if (heard === null) return "There is nothing in it for Watchpost.";
  if (heard.kind === "push") {
    await recordCommits(services, project, heard.commits);
    return `Commits taken: ${heard.commits.length}.`;
  }
  const key = TRACKER_KINDS[connection.type].keyOf(connection.settings, heard.ref);
  const { connectionId } = connection;
  const links = await linksToldOf(services.sql, connection.projectId, {
    connectionId,
    key,
    at: heard.at,
  });
  if (links.length === 0) return `No issue waits for news of ${key}.`;
  const changed = await follow(services, connection, links, heard.state);
  await noteState(services.sql, connection.projectId, links.map(({ id }) => id), heard);
  return changed === 0 ? `${key} is noted.` : `${key} is noted, issues changed: ${changed}.`;
}

/**
 * Lets issues follow what happened to their links: only a change of state counts, since trackers tell of a closed
 * issue again whenever anything about it changes.
 *
 * @returns how many issues changed
 */
async function follow(
  services: Backend,
  connection: Connection,
  links: readonly ToldLink[],
  state: ToldLink["state"],
): Promise<number> {
  if (state === "unknown") return 0;
  const target = state === "closed" ? "resolved" : "unresolved";
  const moved = links.filter((link) =>
    link.state !== state &&
    (state === "closed" ? link.status !== "resolved" : link.status === "resolved") &&
    // Nobody has seen it open: what is told first about an old link is no news.
    !(state === "open" && link.state === "unknown")
  );
  const issueIds = [...new Set(moved.map(({ issueId }) => issueId))];
  if (issueIds.length === 0) return 0;
  return await settleIssues(services, connection, issueIds, target);
}

async function wasTaken(
  sql: Sql,
  { projectId, connectionId }: Connection,
  deliveries: readonly string[],
): Promise<boolean> {
  const rows = await sql`
    select 1 from tracker_deliveries
    where project_id = ${projectId} and connection_id = ${connectionId}
      and delivery_id = any (${[...deliveries]}::text[])
    limit 1
  `;
  return rows.length > 0;
}

async function noteTaken(
  sql: Sql,
  { projectId, connectionId }: Connection,
  deliveries: readonly string[],
): Promise<void> {
  await sql`
    with heard as (
      update tracker_connections set heard_at = now()
      where project_id = ${projectId} and connection_id = ${connectionId}
    )
    insert into tracker_deliveries (project_id, connection_id, delivery_id, received_at)
    select ${projectId}, ${connectionId}, delivery, now()
    from unnest(${[...deliveries]}::text[]) as told (delivery)
    on conflict do nothing
  `;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
