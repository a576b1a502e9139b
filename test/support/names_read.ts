/** Which parameters code reads out of addresses. */

/** What a piece of work returns, and the names that it asked any `URLSearchParams` for. */
export async function namesRead<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly names: ReadonlySet<string> }> {
  const { get, getAll, has } = URLSearchParams.prototype;
  const names = new Set<string>();
  Object.assign(URLSearchParams.prototype, {
    get(this: URLSearchParams, name: string) {
      names.add(name);
      return get.call(this, name);
    },
    getAll(this: URLSearchParams, name: string) {
      names.add(name);
      return getAll.call(this, name);
    },
    has(this: URLSearchParams, name: string, value?: string) {
      names.add(name);
      return has.call(this, name, value);
    },
  });
  try {
    return { result: await work(), names };
  } finally {
    Object.assign(URLSearchParams.prototype, { get, getAll, has });
  }
}
