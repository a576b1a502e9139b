import { z } from "zod";
import { type Actor, actorOfBearer, Denied, identified } from "../accounts/authorize.ts";
import type { Permission } from "../accounts/members.ts";
import { InvalidInput } from "../core/errors.ts";
import { type HeldRight, heldRight, whileHeld } from "../core/held_right.ts";
import { Refusal } from "../core/refusal.ts";
import { readBody } from "../core/read_body.ts";
import { nullIfSlow } from "../store/query_limits.ts";
import type { Backend } from "../store/stores.ts";
import type { Tag } from "./tags.ts";

/** What a handler of the management API is given: of Fresh's context what it needs. */
export interface ApiContext {
  readonly req: Request;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly state: { readonly services: Backend; actor: Actor };
}

/** Addresses below `/api/0`, without the slash at their end, which may be left out. */
export type ApiRoutes = Readonly<Record<string, ApiMethods>>;

/** What one address of the management API does, by method. */
export type ApiMethods = Readonly<Partial<Record<"GET" | "POST" | "PUT" | "DELETE", ApiMethod>>>;

/** Gives the methods of a table the noun that they are about, where they do not say so themselves. */
export function tagged(tag: Tag, routes: ApiRoutes): ApiRoutes {
  return Object.fromEntries(
    Object.entries(routes).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [name, { tag, ...method }]),
      ),
    ]),
  );
}

/** One method of an address. */
export interface ApiMethod extends ApiFacts<z.ZodObject, z.ZodType> {
  /** What the actor must hold; null: everybody may ask. */
  readonly scope: Permission | null;
  readonly reply: (ctx: ApiContext) => Promise<Response>;
}

/** What the document of the API tells of a method, and what its input must be. */
interface ApiFacts<Query extends z.ZodObject, Body extends z.ZodType> {
  readonly summary: string;
  /** The noun that it is about; `tagged()` gives it to whole tables. */
  readonly tag?: Tag;
  /** Parameters of the address. */
  readonly query?: Query;
  /** JSON. */
  readonly body?: Body;
  /** @default 100 kB */
  readonly maxBodyBytes?: number;
  /** Of a form with files, in place of a body in JSON. */
  readonly upload?: z.ZodObject;
  /** JSON as well; absent where there is none, or a file. */
  readonly answer?: z.ZodType;
  /** Media type of an answer that is a file. */
  readonly file?: string;
  /** @default 200, and 204 for no answer */
  readonly status?: number;
  /** Other successes; with the same answer, but for 204. */
  readonly alsoStatus?: number | readonly number[];
  /** Refusals beside those that follow from scope, address, query and body. */
  readonly errors?: readonly ErrorStatus[];
}

/** Statuses of refusals that the document explains. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 503;

/** What has been checked: of a method without the one or the other, it means nothing. */
interface Input<Query extends z.ZodType, Body extends z.ZodType> {
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

/**
 * Makes methods whose requests pass a gate first.
 *
 * @param gate finds what the address names and throws when there is no such thing, or the actor may not
 * @returns a function of the scope that the gate asks for, what is said of the method, and its handler. What that
 *   returns is the answer, if it is not a response already; undefined is an empty one
 */
export function behind<Access, Scope extends Permission = Permission>(
  gate: (ctx: ApiContext, scope: Scope) => Promise<Access>,
) {
  return <Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType>(
    scope: Scope,
    facts: ApiFacts<Query, Body>,
    handler: (
      ctx: ApiContext,
      access: Access,
      input: Input<Query, Body>,
    ) => unknown,
  ): ApiMethod => ({
    ...facts,
    scope,
    async reply(ctx) {
      const access = await gate(ctx, scope);
      const query = facts.query && readQuery(ctx.url.searchParams, facts.query);
      const body = facts.body && await readJson(ctx.req, facts.body, facts.maxBodyBytes);
      const answer = await handler(ctx, access, { query, body } as Input<Query, Body>);
      if (answer instanceof Response) {
        return facts.file === undefined ? answer : whileHeld(answer, rightTo(ctx, gate, scope));
      }
      return answer === undefined
        ? new Response(null, { status: facts.status ?? 204 })
        : Response.json(answer, { status: facts.status ?? 200 });
    },
  });
}

/** The right to a file while it is sent: the token is there, and passes the same gate. */
function rightTo<Scope extends Permission>(
  ctx: ApiContext,
  gate: (ctx: ApiContext, scope: Scope) => Promise<unknown>,
  scope: Scope,
): HeldRight {
  const { services } = ctx.state;
  return heldRight(async () => {
    const actor = await actorOfBearer(services.kv, services.config, bearerOf(ctx.req));
    await gate({ ...ctx, state: { ...ctx.state, actor } }, scope);
    return true;
  });
}

/** A method for everybody, tokens or not. */
export function open(
  facts: ApiFacts<z.ZodObject, z.ZodType>,
  handler: (ctx: ApiContext) => unknown,
): ApiMethod {
  return { ...facts, scope: null, reply: async (ctx) => Response.json(await handler(ctx)) };
}

/**
 * Makes the handler of one address under `/api/0/`: finds out who asks, answers methods that the address
 * does not have with 405, and turns refusals into Sentry's error bodies. Session cookies do not count
 * here, so no other site can make a visitor's browser use the API.
 */
export function apiRoute(methods: ApiMethods): (ctx: ApiContext) => Promise<Response> {
  return async (ctx) => {
    const method = methodFor(ctx.req.method, methods);
    if (method === undefined) return otherMethod(ctx.req.method, methods);
    try {
      const { kv, config } = ctx.state.services;
      ctx.state.actor = identified(await actorOfBearer(kv, config, bearerOf(ctx.req)));
      return await method.reply(ctx);
    } catch (error) {
      return errorReply(error);
    }
  };
}

function methodFor(asked: string, methods: ApiMethods): ApiMethod | undefined {
  const name = asked === "HEAD" ? "GET" : asked;
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

/** What a search found. @throws {ApiError} 400 when it took too long */
export async function inSearchTime<T>(search: Promise<T>): Promise<T> {
  const found = await nullIfSlow(search.then((value) => ({ value })));
  if (found !== null) return found.value;
  throw ApiError.detail(
    400,
    "The search took too long: choose a shorter time, or search for less",
  );
}

/** Also for what exists where the actor may not look, as `authorize()` says it. */
export function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
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
 * @param maxBytes of the body
 * @throws {Refusal} 413 for a body over that
 */
export async function readJson<T>(
  req: Request,
  schema: z.ZodType<T>,
  maxBytes = MAX_BODY_BYTES,
): Promise<T> {
  const bytes = await readBody(req, { maxBytes });
  const result = schema.safeParse(bytes.length === 0 ? {} : parse(bytes), { error: problemOf });
  if (result.success) return result.data;
  throw ApiError.fields(problemsOf(result.error));
}

/**
 * Reads the parameters of an address; those whose schema is a list may come any number of times. An empty one counts as
 * missing, unless its schema takes an empty text. What the schema does not name is ignored.
 *
 * @throws {ApiError} 400 naming the first that is wrong, or missing
 */
function readQuery<Query extends z.ZodObject>(
  search: URLSearchParams,
  schema: Query,
): z.output<Query> {
  const asked = Object.entries(schema.shape).map(([name, type]) => {
    if (type instanceof z.ZodArray) return [name, search.getAll(name)];
    const text = search.get(name) ?? undefined;
    return [name, text === "" && !z.safeParse(type, "").success ? undefined : text];
  });
  const result = schema.safeParse(Object.fromEntries(asked), { error: problemOf });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0]);
  if (!search.get(name)?.trim()) throw ApiError.fields({ [name]: [REQUIRED] });
  throw ApiError.detail(400, `Invalid ${name}: ${issue?.message}`);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw ApiError.detail(400, "JSON parse error: the body is not valid JSON in UTF-8.");
  }
}

const REQUIRED = "This field is required.";

function problemOf({ input }: { input?: unknown }): string | undefined {
  return input === undefined ? REQUIRED : undefined;
}

function problemsOf(error: z.ZodError): Record<string, string[]> {
  // Without what every object has, since clients name the fields of some bodies.
  const problems: Record<string, string[]> = Object.create(null);
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
