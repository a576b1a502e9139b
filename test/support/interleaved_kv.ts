/**
 * The same store for somebody who is slow: right after its first read of a record of one kind,
 * something else happens. Shows what becomes of decisions that rest on what was just read.
 *
 * @param kind first part of the record's key
 */
export function interleaved(
  kv: Deno.Kv,
  kind: string,
  happening: () => Promise<unknown>,
): Deno.Kv {
  let isPending = true;
  const afterwards = async <T>(keys: readonly Deno.KvKey[], read: Promise<T>): Promise<T> => {
    const result = await read;
    if (isPending && keys.some(([first]) => first === kind)) {
      isPending = false;
      await happening();
    }
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
