import { type IngestKey, isPublicKey } from "./keys.ts";
import { keyOf } from "./kv_keys.ts";
import type { Project } from "./projects.ts";

export interface Ingest {
  /** May be disabled: the caller answers 401 unless `key.isActive`. */
  readonly key: IngestKey;
  readonly project: Project;
}

/** Some hundred bytes each; beyond that the oldest are forgotten, at the price of a second read. */
const MAX_REMEMBERED = 10_000;

/**
 * Which project each key was found to belong to. This is no cache of access: it only says which project
 * to read along with the key, and is believed only when the key that was just read says the same.
 */
const projectIdsOf = new WeakMap<Deno.Kv, Map<string, string>>();

/**
 * Finds a key and its project for one ingest request. Both are read from the store every time, in one
 * consistent round trip (two when this isolate sees the key for the first time), so that disabling,
 * deleting and new settings hold from the next request on, on every instance. Writes nothing.
 *
 * @param publicKey what the client sent, whatever it is
 * @returns null for unknown and deleted keys
 */
export async function findIngest(kv: Deno.Kv, publicKey: string): Promise<Ingest | null> {
  if (!isPublicKey(publicKey)) return null;
  const remembered = rememberedFor(kv);
  const expected = remembered.get(publicKey) ?? "";
  const [{ value: key }, { value: likely }] = await kv.getMany<[IngestKey, Project]>([
    keyOf.ingestKey(publicKey),
    keyOf.project(expected),
  ]);
  if (key === null) return null;
  if (key.projectId === expected) return likely && { key, project: likely };
  remember(remembered, publicKey, key.projectId);
  const { value: project } = await kv.get<Project>(keyOf.project(key.projectId));
  return project && { key, project };
}

function rememberedFor(kv: Deno.Kv): Map<string, string> {
  const found = projectIdsOf.get(kv);
  if (found !== undefined) return found;
  const created = new Map<string, string>();
  projectIdsOf.set(kv, created);
  return created;
}

function remember(remembered: Map<string, string>, publicKey: string, projectId: string): void {
  const [oldest] = remembered.keys();
  if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest);
  remembered.set(publicKey, projectId);
}
