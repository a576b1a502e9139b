import { type IngestKey, listKeys } from "../accounts/keys.ts";
import type { Services } from "../server/services.ts";
import { type KeyUsage, keyUsage } from "../usage/key_hours.ts";
import { listRefused, type RefusedRequest } from "../usage/refused_requests.ts";

const DAY_MS = 86_400_000;

export interface KeysOfProject {
  readonly keys: readonly IngestKey[];
  /** By key id, of the last 24 hours. */
  readonly usage: ReadonlyMap<string, KeyUsage>;
  /** Newest first. */
  readonly refused: readonly RefusedRequest[];
}

/** The keys of a project, how they are used, and what was refused. */
export async function loadKeys(
  { kv, sql }: Pick<Services, "kv" | "sql">,
  projectId: string,
  now: Date = new Date(),
): Promise<KeysOfProject> {
  const start = new Date(now.getTime() - DAY_MS);
  const [keys, usage, refused] = await Promise.all([
    listKeys(kv, projectId),
    keyUsage(sql, projectId, { start, end: new Date(now.getTime() + DAY_MS) }),
    listRefused(sql, projectId),
  ]);
  return { keys, usage, refused };
}

/** What the doctor calls each key. */
export function keyNamesOf(keys: readonly IngestKey[]): ReadonlyMap<string, string> {
  return new Map(keys.map(({ id, name }) => [id, name]));
}
