/** Asking an API politely: with a token, in turn, and later again where it says so. */

/** An answer that ends the work. `message` is a sentence for whoever runs it. */
export class ApiRefused extends Error {
  override name = "ApiRefused";
}

const MOST_TRIES = 8;
const LONGEST_WAIT_SEC = 120;

export interface Api {
  /** Ends with no slash. */
  readonly url: string;
  readonly token: string;
  /** How to wait; tests do not. */
  readonly wait?: (seconds: number) => Promise<void>;
}

/**
 * An answer with a status below 400. What is refused for the rate, or by a server that is away, is asked for again, as late as
 * it says, else ever later.
 *
 * @param path below the URL, or a whole address of the same origin
 * @throws {ApiRefused}
 */
export async function ask(api: Api, path: string, init: RequestInit = {}): Promise<Response> {
  const base = new URL(api.url);
  const address = new URL(path.startsWith("http") ? path : `${api.url}${path}`);
  if (address.origin !== base.origin) {
    throw new ApiRefused(
      `${base.origin} leads to ${address.origin}, which does not get its token.`,
    );
  }
  const headers = { ...init.headers, authorization: `Bearer ${api.token}` };
  for (let tries = 1;; tries++) {
    const answer = await fetch(address, { ...init, headers, redirect: "manual" })
      .catch((error: unknown) => error);
    const status = answer instanceof Response ? answer.status : 0;
    if (answer instanceof Response && status >= 200 && status < 300) return answer;
    const text = answer instanceof Response ? (await answer.text()).slice(0, 300) : String(answer);
    const isPassing = status === 0 || status === 429 || status >= 500;
    if (!isPassing || tries === MOST_TRIES) {
      throw new ApiRefused(
        `${address.origin}${address.pathname} answers ${status || "nothing"}: ${text}`,
      );
    }
    await waitFor(api, answer, tries);
  }
}

async function waitFor({ wait = sleep }: Api, answer: unknown, tries: number): Promise<void> {
  const said = answer instanceof Response ? Number(answer.headers.get("retry-after")) : NaN;
  const seconds = said > 0 ? said : 2 ** (tries - 1);
  await wait(Math.min(seconds, LONGEST_WAIT_SEC));
}

function sleep(seconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, seconds * 1_000));
}

/** The elements of a list that comes in pages, as Sentry's `Link` or Bugsink's `next` lead from one to the other. */
export async function* pagesOf(api: Api, first: string): AsyncGenerator<readonly unknown[]> {
  let next: string | null = first;
  while (next !== null) {
    const answer = await ask(api, next);
    const body: unknown = await answer.json();
    if (Array.isArray(body)) {
      yield body;
      next = nextIn(answer.headers.get("link") ?? "");
    } else {
      const { results, next: following } = body as { results?: unknown; next?: unknown };
      yield Array.isArray(results) ? results : [];
      next = typeof following === "string" ? following : null;
    }
  }
}

function nextIn(link: string): string | null {
  for (const part of link.split(/,\s*(?=<)/)) {
    const [, address = ""] = /^<([^>]+)>/.exec(part) ?? [];
    if (/rel="?next"?/.test(part) && !/results="?false"?/.test(part)) return address;
  }
  return null;
}
