/** What SCIM 2.0 (RFC 7644) says of requests and answers, whatever they are about. */
import { z } from "zod";
import { ApiError, readJson } from "../../api/route.ts";
import { Denied, InvalidInput } from "../../core/errors.ts";
import { Refusal } from "../../core/refusal.ts";

export const SCHEMA = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  config: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  resourceType: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  schema: "urn:ietf:params:scim:schemas:core:2.0:Schema",
} as const;

export type Json = Readonly<Record<string, unknown>>;

/** A request that is not taken, as RFC 7644 tells it (3.12). */
export class ScimError extends Error {
  override name = "ScimError";

  constructor(
    readonly status: number,
    readonly scimType: "invalidFilter" | "invalidPath" | "invalidValue" | "uniqueness" | null,
    detail: string,
  ) {
    super(detail);
  }
}

/** What an error becomes; of what is no refusal it is thrown again. */
export function errorReply(error: unknown): Response {
  const { status, scimType, message } = refusalOf(error);
  const headers = status === 401 ? { "www-authenticate": 'Bearer realm="scim"' } : {};
  return reply(
    {
      schemas: [SCHEMA.error],
      status: String(status),
      ...scimType === null ? {} : { scimType },
      detail: message,
    },
    status,
    headers,
  );
}

function refusalOf(error: unknown): ScimError {
  if (error instanceof ScimError) return error;
  if (error instanceof InvalidInput) {
    return error.reason === "taken"
      ? new ScimError(409, "uniqueness", error.message)
      : new ScimError(400, "invalidValue", error.message);
  }
  if (error instanceof Denied) return new ScimError(error.status, null, error.message);
  if (error instanceof Refusal) return new ScimError(error.status, null, error.detail);
  if (error instanceof ApiError) {
    const { detail } = error.body;
    const text = typeof detail === "string" ? detail : JSON.stringify(error.body);
    return new ScimError(error.status, "invalidValue", text);
  }
  throw error;
}

/** An answer in SCIM's own media type. */
export function reply(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/scim+json; charset=utf-8",
      "cache-control": "no-store",
      ...headers,
    },
  });
}

/** Groups name hundreds of members. */
const MAX_BODY_BYTES = 500_000;
/** As the reference server: more at once is a mistake. */
const MAX_OPERATIONS = 100;

/** Reads a resource. @throws {ApiError} 400 for what is no JSON object */
export function readResource(request: Request): Promise<Json> {
  return readJson(request, z.record(z.string(), z.unknown()), MAX_BODY_BYTES);
}

/** One change of a PATCH. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  /** Lower case, without the schema before it; `""`: the value says which attributes. */
  readonly path: string;
  readonly value: unknown;
}

/** Entra writes `Add`, Okta `replace`; some leave the path out. */
const Patch = z.object({
  Operations: z.array(z.object({
    op: z.string().transform((text) => text.toLowerCase())
      .pipe(z.enum(["add", "replace", "remove"])),
    path: z.string().optional(),
    value: z.unknown().optional(),
  })).min(1).max(MAX_OPERATIONS),
});

/** Reads the changes of a PATCH. @throws {ApiError} 400 */
export async function readPatch(request: Request): Promise<Operation[]> {
  const { Operations } = await readJson(request, Patch, MAX_BODY_BYTES);
  return Operations.map(({ op, path = "", value }) => ({ op, path: plainPath(path), value }));
}

/** A path as we compare it: names are of any case, and may begin with their schema. */
export function plainPath(path: string): string {
  const text = path.trim();
  for (const urn of [SCHEMA.user, SCHEMA.group]) {
    if (text.toLowerCase().startsWith(`${urn.toLowerCase()}:`)) {
      return lowered(text.slice(urn.length + 1));
    }
  }
  return lowered(text);
}

/** What stands in quotes keeps its case: it may be an id. */
function lowered(path: string): string {
  return path.replace(/"[^"]*"|[^"]+/g, (part) => part.startsWith('"') ? part : part.toLowerCase());
}

/** What a filter compares: `userName eq "ann@example.com"`. */
export interface Filter {
  /** Lower case. */
  readonly attribute: string;
  readonly value: string;
}

const FILTER =
  /^\s*([a-z][\w.:$-]*(?:\[[^\]]*\](?:\.\w+)?)?)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false|\d+)\s*$/i;

/**
 * Reads `?filter=`; null without one.
 *
 * @param attributes those that can be compared, lower case
 * @throws {ScimError} 400 invalidFilter for another attribute, and for everything but `eq`
 */
export function readFilter(search: URLSearchParams, attributes: readonly string[]): Filter | null {
  const text = search.get("filter");
  if (text === null || text.trim() === "") return null;
  const [, name = "", literal = ""] = FILTER.exec(text.slice(0, 1_000)) ?? [];
  const attribute = plainPath(name);
  if (!attributes.includes(attribute)) {
    throw new ScimError(
      400,
      "invalidFilter",
      `A filter compares one of ${attributes.join(", ")} by eq with a text in quotes.`,
    );
  }
  return { attribute, value: textOf(literal) };
}

function textOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    throw new ScimError(
      400,
      "invalidFilter",
      "The text in quotes of the filter is not valid JSON.",
    );
  }
}

const DEFAULT_COUNT = 100;
export const MAX_COUNT = 200;

/** One page of a list (RFC 7644, 3.4.2.4), with the attributes that `?attributes=` and `?excludedAttributes=` leave. */
export function listReply(all: readonly Json[], search: URLSearchParams): Response {
  const startIndex = Math.max(1, wholeNumber(search, "startIndex", 1));
  const count = Math.min(MAX_COUNT, Math.max(0, wholeNumber(search, "count", DEFAULT_COUNT)));
  const page = all.slice(startIndex - 1, startIndex - 1 + count);
  return reply({
    schemas: [SCHEMA.list],
    totalResults: all.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page.map((resource) => chosen(resource, search)),
  });
}

function wholeNumber(search: URLSearchParams, name: string, otherwise: number): number {
  const text = search.get(name);
  if (text === null || text === "") return otherwise;
  if (!/^-?\d{1,9}$/.test(text)) {
    throw new ScimError(400, "invalidValue", `${name} is a whole number.`);
  }
  return Number(text);
}

const ALWAYS: readonly string[] = ["schemas", "id", "meta"];

/** A resource with the attributes that were asked for. */
export function chosen(resource: Json, search: URLSearchParams): Json {
  const only = namesIn(search.get("attributes"));
  const without = namesIn(search.get("excludedAttributes"));
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      if (ALWAYS.includes(name)) return true;
      const plain = name.toLowerCase();
      return only.length > 0 ? only.includes(plain) : !without.includes(plain);
    }),
  );
}

/** Of `name.givenName` the whole name is meant. */
function namesIn(text: string | null): string[] {
  return (text ?? "").split(",").map((name) => plainPath(name).split(".")[0] ?? "")
    .filter((name) => name !== "");
}

/** Entra sends `"True"` and `"False"`. @throws {ScimError} 400 */
export function truth(value: unknown, name: string): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text === "true" || text === "false") return text === "true";
  throw new ScimError(400, "invalidValue", `${name} is true or false.`);
}

/** A text, or null for none. @throws {ScimError} 400 */
export function textIn(value: unknown, name: string): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "string" && value.length <= MAX_TEXT) return value;
  throw new ScimError(400, "invalidValue", `${name} is a text of at most ${MAX_TEXT} characters.`);
}

const MAX_TEXT = 400;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
