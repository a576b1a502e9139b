/**
 * Keys of a control store that was made again from Postgres, which keeps their hashes only. The first request that
 * brings such a key makes it whole.
 */
import { createHash } from "node:crypto";
import { projectChanged } from "./changes.ts";
import { addKey, type IngestKey, isPublicKey } from "./keys.ts";
import { keyOf, prefixOf } from "./kv_keys.ts";
import { readIndex, readMany } from "./read_many.ts";

/** A key without its public half. */
export type RecoveredKey = Omit<IngestKey, "publicKey"> & { readonly hash: string };

/** What Postgres keeps of a public key. */
export function hashOfKey(publicKey: string): string {
  return createHash("sha256").update(publicKey).digest("hex");
}

/** Stores a key of which the hash is known. */
export async function putRecoveredKey(kv: Deno.Kv, key: RecoveredKey): Promise<void> {
  await kv.atomic()
    .set(keyOf.recoveredKey(key.hash), key)
    .set(keyOf.recoveredKeyOf(key.projectId, key.hash), key.hash)
    .commit();
}

/** Keys of a project that nobody has sent with since the store was made again. */
export async function listRecoveredKeys(kv: Deno.Kv, projectId: string): Promise<RecoveredKey[]> {
  const hashes = await readIndex(kv, prefixOf.recoveredKeys(projectId));
  return await readMany<RecoveredKey>(kv, hashes.map((hash) => keyOf.recoveredKey(hash)));
}

/**
 * Makes a recovered key whole again, when `publicKey` is one.
 *
 * @returns whether it was
 */
export async function adoptRecoveredKey(kv: Deno.Kv, publicKey: string): Promise<boolean> {
  if (!isPublicKey(publicKey)) return false;
  const entry = await kv.get<RecoveredKey>(keyOf.recoveredKey(hashOfKey(publicKey)));
  if (entry.value === null) return false;
  const { hash, ...key } = entry.value;
  const { ok } = await addKey(kv.atomic().check(entry), { ...key, publicKey })
    .delete(entry.key)
    .delete(keyOf.recoveredKeyOf(key.projectId, hash))
    .commit();
  if (ok) projectChanged(kv, key.projectId);
  // Otherwise another request has just done it.
  return true;
}
