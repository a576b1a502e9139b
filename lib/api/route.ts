import type { Context } from "fresh";
import { z } from "zod";
import { type Actor, actorOfBearer, Denied } from "../accounts/authorize.ts";
import { InvalidInput } from "../core/errors.ts";
import { Refusal } from "../core/refusal.ts";
import { readBody } from "../core/read_body.ts";
import type { Backend } from "../store/stores.ts";

/** What a handler of the management API is given. */
interface ApiState {
  services: Backend;
  actor: Actor;
}

export type ApiContext = Context<ApiState>;
type ApiHandler = (ctx: ApiContext) => Response | Promise<Response>;

/** Addresses below `/api/0`, without the slash at their end, which may be left out. */
export type ApiRoutes = Readonly<Record<string, ApiMethods>>;

/** What one address of the management API does, by method. */
interface ApiMethods {
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
export function apiRoute<State extends ApiState>(
  methods: ApiMethods,
): (ctx: Context<State>) => Promise<Response> {
  return async (context) => {
    // The same context, as far as the API needs it: Fresh's type cannot be narrowed.
    const ctx = context as unknown as ApiContext;
    const handler = handlerFor(ctx.req.method, methods);
    if (handler === undefined) return otherMethod(ctx.req.method, methods);
    try {
      const { kv, config } = ctx.state.services;
      ctx.state.actor = await actorOfBearer(kv, config, bearerOf(ctx.req));
      return await handler(ctx);
    } catch (error) {
      return errorReply(error);
    }
  };
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

/** A request that the management API does not take. */
export class ApiError extends Error {
  override name = "ApiError";

  private constructor(
    readonly status: number,
    /** As Sentry's clients read it. */
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(JSON.stringify(body));
  }

  /** An error that is about the request as a whole. */
  static detail(status: number, detail: string): ApiError {
    return new ApiError(status, { detail });
  }

  /** 400 for wrong input, with the problems of each field. */
  static fields(problems: Readonly<Record<string, readonly string[]>>): ApiError {
    return new ApiError(400, problems);
  }
}

/** Bodies of the management API are a few fields; ids of a thousand issues fit as well. */
const MAX_BODY_BYTES = 100_000;
/** Where Sentry's clients look for problems that belong to no field. */
const NO_FIELD = "non_field_errors";

/**
 * Reads a JSON body. An empty one counts as `{}`; properties that the schema does not name are ignored,
 * since Sentry's clients send some that mean nothing here.
 *
 * @throws {ApiError} 400 naming each wrong field
 * @throws {Refusal} 413 for a body over 100 kB
 */
export async function readJson<T>(req: Request, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBody(req, { maxBytes: MAX_BODY_BYTES });
  const result = schema.safeParse(bytes.length === 0 ? {} : parse(bytes), { error: problemOf });
  if (result.success) return result.data;
  throw ApiError.fields(problemsOf(result.error));
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw ApiError.detail(400, "JSON parse error: the body is not valid JSON in UTF-8.");
  }
}

function problemOf({ input }: { input?: unknown }): string | undefined {
  return input === undefined ? "This field is required." : undefined;
}

function problemsOf(error: z.ZodError): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const { path: [field], message } of error.issues) {
    (problems[field === undefined ? NO_FIELD : String(field)] ??= []).push(message);
  }
  return problems;
}

/** Where a list goes on; null where it does not. */
export interface Cursors {
  readonly previousCursor: string | null;
  readonly nextCursor: string | null;
}

const ONLY_PAGE: Cursors = { previousCursor: null, nextCursor: null };

/**
 * A list with Sentry's `Link` header, which names both neighbours even where there are none and says so
 * with `results="false"`: its clients page until they read that.
 */
export function listReply(
  ctx: ApiContext,
  rows: readonly unknown[],
  { previousCursor, nextCursor }: Cursors = ONLY_PAGE,
): Response {
  const links = [link(ctx, "previous", previousCursor), link(ctx, "next", nextCursor)];
  return Response.json(rows, { headers: { link: links.join(", ") } });
}

function link(ctx: ApiContext, rel: "previous" | "next", cursor: string | null): string {
  const { baseUrl } = ctx.state.services.config;
  const url = new URL(baseUrl + ctx.url.pathname + ctx.url.search);
  url.searchParams.set("cursor", cursor ?? "");
  return `<${url}>; rel="${rel}"; results="${cursor !== null}"; cursor="${cursor ?? ""}"`;
}
