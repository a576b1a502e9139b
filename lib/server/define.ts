import { createDefine } from "fresh";
import { type Actor, askerOf } from "../accounts/authorize.ts";
import { DOCS_PATH } from "../api/docs/nouns.ts";
import type { Session } from "../accounts/sessions.ts";
import { clientOf, type ProxyTrust } from "../core/proxies.ts";
import { inScope } from "../core/request_scope.ts";
import type { Theme } from "../ui/shell.ts";
import { languageOfVisitor } from "./reader.ts";
import type { Services } from "./services.ts";

/** What every request carries from the root middlewares to its route. */
export interface State {
  services: Services;
  /** Who asks: from the session cookie on pages, from the bearer token under `/api/0`. */
  actor: Actor;
  /** The token of the session cookie when it names a live session. */
  sessionToken: string | null;
  /** Of the session cookie, when it is live. */
  session: Session | null;
  /** Ties an error page to its line in the log. */
  requestId: string;
  /** Address of the client, as far as the settings allow to believe it. */
  clientAddress: string;
  /** Set by handlers, read by `_app`. */
  meta: { title: string };
  /**
   * `Set-Cookie` values of a page: of several that a handler gives to `page()`, Fresh keeps only the last.
   */
  cookies: string[];
  theme: Theme;
}

export const define = createDefine<State>();

/** Gives every request what all others build on. Must be the first middleware. */
export function rootState(services: Services) {
  return define.middleware((ctx) => {
    const { state } = ctx;
    state.services = services;
    state.actor = { kind: "nobody" };
    state.sessionToken = null;
    state.session = null;
    state.requestId = crypto.randomUUID();
    state.clientAddress = clientAddress(
      ctx.req.headers,
      ctx.info.remoteAddr,
      services.config.trustProxy,
    );
    state.meta = { title: "" };
    state.cookies = [];
    state.theme = "system";
    const asker = {
      ...askerOf(state.actor),
      address: state.clientAddress,
      userAgent: ctx.req.headers.get("user-agent")?.slice(0, MAX_USER_AGENT) ?? null,
      requestId: state.requestId,
    };
    const language = isForPrograms(ctx.url.pathname) ? "en" : languageOfVisitor(ctx.req);
    const scope = { language, timeZone: "UTC", asker, route: ctx.route ?? "" };
    return inScope(scope, async () => {
      const response = await ctx.next();
      for (const cookie of state.cookies) response.headers.append("set-cookie", cookie);
      return ctx.req.method === "HEAD" ? await withoutBody(response) : response;
    });
  });
}

/** Fresh leaves alone what a body was to be read from: a file or a connection would stay open. */
async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

/** All below `/api`, but for the page that describes it: programs are answered in English. */
export function isForPrograms(path: string): boolean {
  return path.startsWith("/api/") && path !== DOCS_PATH;
}

/** Characters: audit entries keep it. */
const MAX_USER_AGENT = 300;

/**
 * The address a request comes from: that of the TCP peer, or what trusted proxies say.
 *
 * @param peer address of the TCP peer
 * @param trust `Config.trustProxy`
 */
export function clientAddress(headers: Headers, peer: Deno.Addr, trust: ProxyTrust): string {
  const connected = "hostname" in peer ? peer.hostname : "local";
  return clientOf(connected, headers.get("x-forwarded-for"), trust);
}
