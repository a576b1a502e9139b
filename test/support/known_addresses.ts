/** The addresses of pages: those that links lead to, and the parameters that the code of a page reads. */
import type { PagePath } from "./every_page.ts";
import type { Acme, Answer } from "./ui_app.ts";

/** Links lead to links; farther are the same parameters in other company. */
const ROUNDS = 3;

/** A page as the owner sees it. */
export interface SeenPage extends Answer {
  /** The parameters that are read there. */
  readonly names: ReadonlySet<string>;
}

/** Of one page, by the query it is asked for with. */
export type Addresses = ReadonlyMap<string, SeenPage>;

/** Pages by their paths, with the queries that links lead to. */
export async function knownAddresses(
  app: Acme,
  pages: readonly PagePath[],
): Promise<ReadonlyMap<string, Addresses>> {
  const known = new Map<string, Map<string, SeenPage>>();
  const seen = new Set<string>();
  let addresses = pages.filter(({ pattern }) => pattern !== "/sign-out").map(({ path }) => path);
  for (let round = 0; round < ROUNDS; round++) {
    const linked: string[] = [];
    for (const address of addresses) {
      const { pathname, searchParams } = new URL(address, "http://localhost");
      const shape = `${pathname}?${[...new Set(searchParams.keys())].sort()}`;
      if (seen.has(shape) || /\.\w+$/.test(pathname)) continue;
      seen.add(shape);
      const page = await askedAsOwner(app, address);
      if (page.status >= 400 && round > 0) continue;
      const of = known.get(pathname) ?? new Map();
      known.set(pathname, of.set(searchParams.toString(), page));
      for (const [, href = ""] of page.html.matchAll(/ href="(\/[^"#]*\?[^"#]*)/g)) {
        linked.push(href.replaceAll("&amp;", "&"));
      }
    }
    addresses = linked;
  }
  return known;
}

/** The answer to the owner, who stays signed in whatever it is. */
export async function askedAsOwner(app: Acme, address: string): Promise<SeenPage> {
  const cookies = [...app.owner.cookies];
  const { result, names } = await namesRead(() => app.owner.get(address));
  for (const [name, value] of cookies) app.owner.cookies.set(name, value);
  return { ...result, names };
}

/** What a piece of work returns, and the names that it asked any `URLSearchParams` for. */
async function namesRead<T>(
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
