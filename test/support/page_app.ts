import { Builder } from "fresh/dev";
import { startSession } from "../../lib/control/sessions.ts";
import type { User } from "../../lib/control/users.ts";
import type { Services } from "../../lib/services.ts";
import { createApp } from "../../lib/web/app.ts";
import type { State } from "../../lib/web/define.ts";
import { sessionCookie } from "../../lib/web/session_cookie.ts";

const ROOT = new URL("../../", import.meta.url);
const applyBuild = await new Builder<State>({ root: ROOT.href }).build({ snapshot: "memory" });

export type Visit = (path: string, init?: RequestInit) => Promise<Response>;

export interface PageApp {
  /** Asks as the browser of `user`, or of nobody: with a session cookie, from our own pages. */
  as(user: User | null): Promise<Visit>;
}

/** The whole app as it is served, with all its routes and islands, in this process. */
export function pageApp(services: Services): PageApp {
  const app = createApp(services);
  applyBuild(app);
  const handle = app.handler();
  return {
    async as(user) {
      const headers: Record<string, string> = { "sec-fetch-site": "same-origin" };
      if (user !== null) {
        const { token } = await startSession(services.kv, user.id);
        headers.cookie = sessionCookie(token, services.config).split(";")[0] ?? "";
      }
      return (path, init) =>
        handle(
          new Request(new URL(path, "http://localhost:8000"), {
            ...init,
            headers: { ...headers, ...Object.fromEntries(new Headers(init?.headers)) },
          }),
        );
    },
  };
}

/** The patterns of all page routes, as `/projects/[project]/issues`. */
export const pagePatterns: readonly string[] =
  (await Array.fromAsync(patternsBelow(new URL("routes/(ui)/", ROOT), ""))).sort();

async function* patternsBelow(folder: URL, prefix: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const stem = name.replace(/\.tsx?$/, "");
    if (isDirectory) {
      yield* patternsBelow(new URL(`${encodeURIComponent(name)}/`, folder), `${prefix}/${name}`);
    } else if (!name.startsWith("_")) {
      yield stem === "index" ? prefix || "/" : `${prefix}/${stem}`;
    }
  }
}
