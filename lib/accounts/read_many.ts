/** The store takes at most this many keys in one read. */
const KEYS_PER_READ = 10;

/**
 * Reads many records, in the order of `keys`; those that are gone are left out.
 *
 * @param kv the control store
 * @param keys keys of records of one kind
 */
export async function readMany<T>(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<T[]> {
  const reads: Promise<Deno.KvEntryMaybe<T>[]>[] = [];
  for (let start = 0; start < keys.length; start += KEYS_PER_READ) {
    reads.push(kv.getMany<T[]>(keys.slice(start, start + KEYS_PER_READ)));
  }
  const entries = (await Promise.all(reads)).flat();
  return entries.flatMap((entry) => entry.value === null ? [] : [entry.value]);
}

/**
 * Reads the ids that an index holds, in the order of its keys.
 *
 * @param kv the control store
 * @param prefix the index, as named in `prefixOf`
 */
export async function readIndex(kv: Deno.Kv, prefix: Deno.KvKey): Promise<string[]> {
  const ids: string[] = [];
  for await (const entry of kv.list<string>({ prefix })) ids.push(entry.value);
  return ids;
}
