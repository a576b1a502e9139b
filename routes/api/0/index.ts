import type { RouteConfig } from "fresh";
import { PERMISSIONS } from "@/lib/accounts/members.ts";
import { type ApiContext, apiRoute } from "@/lib/api/route.ts";
import { sentryScopes } from "@/lib/projects/json.ts";

export const config: RouteConfig = { routeOverride: "/api/0{/}?" };

/** Version of Sentry's web API whose shapes we speak. */
const VERSION = "0";

export const handler = apiRoute({
  GET: (ctx) => Response.json({ version: VERSION, auth: auth(ctx), user: user(ctx) }),
});

function auth({ state: { actor } }: ApiContext): { scopes: string[] } | null {
  if (actor.kind === "nobody") return null;
  return { scopes: sentryScopes(actor.kind === "token" ? actor.token.scopes : PERMISSIONS) };
}

/** Null for nobody, and for the bootstrap token, which belongs to no person. */
function user({ state: { actor } }: ApiContext) {
  if (actor.kind === "nobody" || actor.kind === "bootstrap") return null;
  const { id, email, name } = actor.user;
  return { id, email, name, username: email };
}
