import type { Logger } from "../core/log.ts";
import { storable } from "../core/errors.ts";
import type { Sql } from "../store/database.ts";

/** A request that was not let in or could not be read: no payload, and no whole key. */
export interface RefusedRequest {
  /** The project of the key or, when the key is none of ours, the one in the address. */
  readonly projectId: string;
  /** False: only the address names the project. */
  readonly isOwnKey: boolean;
  /** `""` when the key is not known. */
  readonly keyId: string;
  /** The first characters of what was sent as the key, or `""`. */
  readonly keyHint: string;
  readonly time: Date;
  readonly status: number;
  /** As in outcomes, such as `unknown_key`. */
  readonly reason: string;
  /** The sentence that the client got. */
  readonly detail: string;
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** `name/version` as the client says, or `""`. */
  readonly sdk: string;
  readonly origin: string;
  readonly userAgent: string;
}

export interface Refusals {
  /** Keeps a refused request for the list; never fails and never waits. */
  note(request: RefusedRequest): void;
  /** Writes what is in hand. */
  close(): Promise<void>;
}

/** As many are kept for a project, of its own keys and of others each. */
const KEPT_REFUSALS = 100;
const FLUSH_MS = 1_000;
/** Somebody who tries keys fills the list of one project, not the memory. */
const MAX_WAITING_PROJECTS = 200;
const MAX_TEXT = 300;

/** Opens the list of refused requests: the newest of each project, written about once a second. */
export function openRefusals(sql: Sql, { log }: { readonly log: Logger }): Refusals {
  let waiting = new Map<string, RefusedRequest[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    timer = undefined;
    const requests = [...waiting.values()].flat();
    waiting = new Map();
    writing = writing.then(() => write(sql, requests)).catch((error: unknown) =>
      log.warn("cannot note refused requests", { error })
    );
    return writing;
  }

  return {
    note(request) {
      const key = `${request.projectId}/${request.isOwnKey}`;
      const list = waiting.get(key) ?? [];
      if (list.length === 0 && waiting.size >= MAX_WAITING_PROJECTS) return;
      waiting.set(key, list);
      list.push(request);
      if (list.length > KEPT_REFUSALS) list.shift();
      timer ??= setTimeout(flush, FLUSH_MS);
    },
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}

/** The newest refused requests of a project, the newest first. */
export async function listRefused(
  sql: Sql,
  projectId: string,
  { isOwnKey, limit = KEPT_REFUSALS }: { readonly isOwnKey?: boolean; readonly limit?: number } =
    {},
): Promise<RefusedRequest[]> {
  return await sql<RefusedRequest[]>`
    select
      project_id as "projectId", is_own_key as "isOwnKey", key_id as "keyId",
      key_hint as "keyHint", time, status, reason, detail, method, path, sdk, origin,
      user_agent as "userAgent"
    from refused_requests
    where project_id = ${projectId}
      ${isOwnKey === undefined ? sql`` : sql`and is_own_key = ${isOwnKey}`}
    order by time desc, id
    limit ${limit}
  `;
}

async function write(sql: Sql, requests: readonly RefusedRequest[]): Promise<void> {
  if (requests.length === 0) return;
  const text = (value: string) => storable(value.slice(0, MAX_TEXT).toWellFormed());
  await sql`
    insert into refused_requests (
      project_id, time, id, is_own_key, key_id, key_hint, status, reason, detail, method, path, sdk,
      origin, user_agent
    )
    select project_id, time, gen_random_uuid(), is_own_key::boolean, key_id, key_hint, status, reason,
      detail, method, path, sdk, origin, user_agent
    from unnest(
      ${requests.map(({ projectId }) => projectId)}::bigint[],
      ${requests.map(({ time }) => time.toISOString())}::text[]::timestamptz[],
      ${requests.map(({ isOwnKey }) => String(isOwnKey))}::text[],
      ${requests.map(({ keyId }) => text(keyId))}::text[],
      ${requests.map(({ keyHint }) => text(keyHint))}::text[],
      ${requests.map(({ status }) => status)}::smallint[],
      ${requests.map(({ reason }) => text(reason))}::text[],
      ${requests.map(({ detail }) => text(detail))}::text[],
      ${requests.map(({ method }) => text(method))}::text[],
      ${requests.map(({ path }) => text(path))}::text[],
      ${requests.map(({ sdk }) => text(sdk))}::text[],
      ${requests.map(({ origin }) => text(origin))}::text[],
      ${requests.map(({ userAgent }) => text(userAgent))}::text[]
    ) as incoming (
      project_id, time, is_own_key, key_id, key_hint, status, reason, detail, method, path, sdk,
      origin, user_agent
    )
  `;
  const projects = new Map(requests.map((request) => [
    `${request.projectId}/${request.isOwnKey}`,
    request,
  ]));
  for (const { projectId, isOwnKey } of projects.values()) await prune(sql, projectId, isOwnKey);
}

async function prune(sql: Sql, projectId: string, isOwnKey: boolean): Promise<void> {
  await sql`
    delete from refused_requests
    where project_id = ${projectId} and is_own_key = ${isOwnKey} and (time, id) < (
      select time, id from refused_requests
      where project_id = ${projectId} and is_own_key = ${isOwnKey}
      order by time desc, id desc
      offset ${KEPT_REFUSALS - 1} limit 1
    )
  `;
}
