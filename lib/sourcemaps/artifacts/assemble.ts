/**
 * What clients ask for once they have named the chunks of an upload: which are missing, and how far it is. A row for each project keeps
 * the answer; who works on it is in `assembler.ts`.
 */
import type { Sql } from "../../store/database.ts";
import { knownChunks } from "./chunks.ts";

/** An upload as its client names it. */
export interface Upload {
  readonly kind: "bundle" | "proguard";
  /** Of the whole file, in hex. */
  readonly sha1: string;
  /** SHA-1 of its chunks, in their order; one may come again. None when the client only asks. */
  readonly chunks: readonly string[];
  /** Each `""` for none; then those of the bundle's manifest count. */
  readonly release: string;
  readonly dist: string;
  /** Of a ProGuard file, with its uuid; else `""`. */
  readonly name: string;
}

/** In the words of Sentry's clients. */
export interface AssembleAnswer {
  readonly state: "not_found" | "created" | "assembling" | "ok" | "error";
  /** Each once, in the order of the upload. */
  readonly missingChunks: readonly string[];
  /** What went wrong. */
  readonly detail: string | null;
}

interface Row {
  readonly projectId: string;
  readonly state: "created" | "assembling" | "ok" | "error";
  readonly detail: string;
}

/** A client that waits for its upload asks every second; who comes later tries again. */
const ERROR_LASTS = "1 minute";

/**
 * Begins to put an upload together for projects, once all of its chunks are here, and tells how far it is. Never
 * `created` before: clients would take that for the end of their work.
 *
 * @param projectIds of the organization; the actor may upload to each
 */
export async function assemble(
  sql: Sql,
  organizationId: string,
  projectIds: readonly string[],
  upload: Upload,
): Promise<AssembleAnswer> {
  const rows = await rowsOf(sql, projectIds, upload);
  const known = new Set(rows.map(({ projectId }) => projectId));
  const others = projectIds.filter((id) => !known.has(id));
  if (others.length === 0) return answerOf(rows);
  const missingChunks = await missingOf(sql, organizationId, upload.chunks);
  if (upload.chunks.length === 0 || missingChunks.length > 0) {
    return { state: "not_found", missingChunks, detail: null };
  }
  await insertRows(sql, organizationId, others, upload);
  listeners.get(sql)?.();
  return { state: "created", missingChunks: [], detail: null };
}

/** Which chunks have to be sent, each once and in their order. */
export async function missingOf(
  sql: Sql,
  organizationId: string,
  chunks: readonly string[],
): Promise<string[]> {
  const wanted = [...new Set(chunks)];
  const here = await knownChunks(sql, organizationId, wanted);
  return wanted.filter((hash) => !here.has(hash));
}

async function rowsOf(
  sql: Sql,
  projectIds: readonly string[],
  { kind, sha1, release, dist }: Upload,
): Promise<Row[]> {
  return await sql<Row[]>`
    select project_id as "projectId", state, detail from artifact_assemblies
    where project_id = any(${[...projectIds]}::bigint[]) and kind = ${kind} and sha1 = ${sha1}
      and release = ${release} and dist = ${dist}
      and (state <> 'error' or changed_at > now() - ${ERROR_LASTS}::interval)
  `;
}

/** Of several projects the one that is worst off tells. */
function answerOf(rows: readonly Row[]): AssembleAnswer {
  const states = ["error", "created", "assembling", "ok"] as const;
  const state = states.find((each) => rows.some((row) => row.state === each)) ?? "ok";
  const detail = rows.find((row) => row.state === "error")?.detail ?? null;
  return { state, missingChunks: [], detail };
}

async function insertRows(
  sql: Sql,
  organizationId: string,
  projectIds: readonly string[],
  { kind, sha1, chunks, release, dist, name }: Upload,
): Promise<void> {
  await sql`
    insert into artifact_assemblies as known
      (project_id, organization_id, kind, sha1, release, dist, name, chunks, state)
    select project_id, ${organizationId}, ${kind}, ${sha1}, ${release}, ${dist}, ${name}, ${[
    ...chunks,
  ]}::text[], 'created'
    from unnest(${[...projectIds]}::bigint[]) as project_id
    order by project_id
    on conflict (project_id, kind, sha1, release, dist) do update set
      chunks = excluded.chunks, state = 'created', detail = '', attempts = 0, leased_until = excluded.leased_until,
      changed_at = excluded.changed_at
    where known.state = 'error'
  `;
}

const listeners = new WeakMap<Sql, () => void>();

/** Has `listener` told of every upload that this process can begin to put together; null ends it. */
export function onUpload(sql: Sql, listener: (() => void) | null): void {
  if (listener === null) listeners.delete(sql);
  else listeners.set(sql, listener);
}
