import type { Context } from "fresh";
import { actorOfBearer, Denied } from "../accounts/authorize.ts";
import { InvalidInput } from "../core/invalid_input.ts";
import { Refusal } from "../core/refusal.ts";
import { ApiError } from "./api_error.ts";
import { define, type State } from "../server/define.ts";

export type ApiContext = Context<State>;
type ApiHandler = (ctx: ApiContext) => Response | Promise<Response>;

/** What one address of the management API does, by method. */
export interface ApiMethods {
  readonly GET?: ApiHandler;
  readonly POST?: ApiHandler;
  readonly PUT?: ApiHandler;
  readonly DELETE?: ApiHandler;
}

/**
 * Makes the handler of one address under `/api/0/`: finds out who asks, answers methods that the address
 * does not have with 405, and turns refusals into Sentry's error bodies. Session cookies do not count
 * here, so no other site can make a visitor's browser use the API.
 */
export function apiRoute(methods: ApiMethods) {
  return define.handlers(async (ctx) => {
    const handler = handlerFor(ctx.req.method, methods);
    if (handler === undefined) return otherMethod(ctx.req.method, methods);
    try {
      const { kv, config } = ctx.state.services;
      ctx.state.actor = await actorOfBearer(kv, config, bearerOf(ctx.req));
      return await handler(ctx);
    } catch (error) {
      return errorReply(error);
    }
  });
}

function handlerFor(method: string, methods: ApiMethods): ApiHandler | undefined {
  const name = method === "HEAD" ? "GET" : method;
  return Object.hasOwn(methods, name) ? methods[name as keyof ApiMethods] : undefined;
}

function otherMethod(method: string, methods: ApiMethods): Response {
  const allow = [...Object.keys(methods), "OPTIONS"].join(", ");
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  const detail = `Method "${method}" not allowed.`;
  return Response.json({ detail }, { status: 405, headers: { allow } });
}

/** The token of `Authorization: Bearer <token>`, or null. */
function bearerOf(req: Request): string | null {
  return /^Bearer +(\S+) *$/i.exec(req.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Errors in Sentry's shapes: `{"detail": …}`, or `{"field": ["…"]}` for wrong input. */
function errorReply(error: unknown): Response {
  if (error instanceof Denied) return denied(error);
  if (error instanceof ApiError) return Response.json(error.body, { status: error.status });
  if (error instanceof InvalidInput) {
    return error.reason === "taken"
      ? Response.json({ detail: error.message }, { status: 409 })
      : Response.json({ [error.field]: [error.message] }, { status: 400 });
  }
  if (error instanceof Refusal) {
    return Response.json({ detail: error.detail }, { status: error.status });
  }
  throw error;
}

function denied({ status, message }: Denied): Response {
  const headers = status === 401 ? { "www-authenticate": 'Bearer realm="api"' } : {};
  return Response.json({ detail: message }, { status, headers });
}
