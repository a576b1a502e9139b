/**
 * The same store for somebody who is slow: right after its first read of a record of one kind,
 * something else happens. Shows what becomes of decisions that rest on what was just read.
 *
 * @param kind first part of the record's key
 * @param nth after which of such reads instead, from 1
 */
export function interleaved(
  kv: Deno.Kv,
  kind: string,
  happening: () => Promise<unknown>,
  nth = 1,
): Deno.Kv {
  let reads = 0;
  const afterwards = async <T>(keys: readonly Deno.KvKey[], read: Promise<T>): Promise<T> => {
    const result = await read;
    if (keys.some(([first]) => first === kind) && ++reads === nth) await happening();
    return result;
  };
  return new Proxy(kv, {
    get(target, name) {
      if (name === "get") return (key: Deno.KvKey) => afterwards([key], target.get(key));
      if (name === "getMany") {
        return (keys: Deno.KvKey[]) => afterwards(keys, target.getMany(keys));
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
