/** The management API as an OpenAPI document. */
import { z } from "zod";
import type { Permission } from "../accounts/members.ts";
import type { ApiMethod, ApiRoutes, ErrorStatus } from "./route.ts";
import { TAGS } from "./tags.ts";
import { PARAMETER_WORDS, PROPERTY_WORDS } from "./words.ts";

/** A schema in JSON, as far as we make them. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

export interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface ApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

/** A method of an address, as the document tells it. */
export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

const ABOUT =
  "Reads and changes what is kept, in the shapes of Sentry's web API. Lists name their neighbours in the Link header. " +
  "Errors are detail with a sentence, or the problems of each field.";

/**
 * Describes addresses with their methods, scopes and shapes by OpenAPI 3.1. Shapes with a title are told once.
 *
 * @param version of the service
 * @throws when two different shapes have one title
 */
export function openApi(routes: ApiRoutes, version: string): ApiDocument {
  const shapes = new Shapes();
  const paths = Object.fromEntries(
    Object.entries(routes).map(([path, methods]) => [
      documentedPath(path),
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [
          name.toLowerCase(),
          operationOf(name, path, method, shapes),
        ]),
      ),
    ]),
  );
  return {
    openapi: "3.1.0",
    info: { title: "Watchpost", version, description: ABOUT },
    servers: [{ url: "/api/0" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY,
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [
          responseName(status),
          { description, content: shapes.json(status === "400" ? BadRequest : Detail) },
        ]),
      ),
      schemas: shapes.named(),
    },
  };
}

const SECURITY = {
  userToken: {
    type: "http",
    scheme: "bearer",
    description:
      "A token of a person (wpt_…), made in Settings → API tokens. It may what its scopes say, as far as the role of " +
      "its maker goes.",
  },
  organizationToken: {
    type: "http",
    scheme: "bearer",
    description:
      "A token of an organization (sntrys_…), for build servers: releases, commits, deploys and source maps.",
  },
};

/** What tokens of organizations may. */
const OF_ORGANIZATIONS: ReadonlySet<Permission> = new Set(["release:read", "release:write"]);

const ERRORS: Readonly<Record<ErrorStatus, string>> = {
  400: "Something in the request makes no sense; the answer says what.",
  401: "No token was sent, or not one that is valid.",
  403: "The token, or the role of its maker, may not do this.",
  404: "There is nothing of this name, or the token does not see it.",
  409: "The name is taken, or somebody else has changed it meanwhile.",
  410: "This is done in another way here; the answer says how.",
  413: "The body is larger than this address takes.",
  415: "The body is not of the kind that this address takes.",
  503: "A store is away. Ask again in a while.",
};

const Detail = z.object({ detail: z.string() }).meta({ title: "Error" });
const BadRequest = z.union([
  Detail,
  z.record(z.string(), z.union([z.array(z.string()), z.string()])).describe("Problems by field"),
]);

function responseName(status: string): string {
  return `Error${status}`;
}

/** A path as OpenAPI writes it: `/projects/:project` is `/projects/{project}/`. */
export function documentedPath(path: string): string {
  return `${path.replaceAll(/:(\w+)/g, "{$1}")}/`;
}

function operationOf(name: string, path: string, method: ApiMethod, shapes: Shapes): ApiOperation {
  const { scope, summary, tag, query, body, upload } = method;
  return {
    operationId: operationId(name, path),
    tags: tag === undefined ? [] : [tag],
    summary,
    security: securityOf(scope),
    parameters: [
      ...pathParameters(path),
      ...query === undefined ? [] : queryParameters(query, shapes),
    ],
    ...body && { requestBody: { required: true, content: shapes.json(body) } },
    ...upload && {
      requestBody: {
        required: true,
        content: { "multipart/form-data": { schema: shapes.of(upload) } },
      },
    },
    responses: {
      ...successes(method, shapes),
      ...Object.fromEntries(
        errorsOf(path, method).map((status) => [
          status,
          { $ref: `#/components/responses/${responseName(String(status))}` },
        ]),
      ),
    },
  };
}

/** As `getOrganizationIssues`, from words that stay as long as the address does. */
function operationId(name: string, path: string): string {
  const words = path.replaceAll(/:(\w+)/g, "by/$1").split(/[^A-Za-z0-9]+/).filter((word) => word);
  const camel = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return name.toLowerCase() + (camel || "Root");
}

function securityOf(scope: Permission | null) {
  if (scope === null) return [];
  const ofPeople = { userToken: [scope] };
  return OF_ORGANIZATIONS.has(scope) ? [ofPeople, { organizationToken: [scope] }] : [ofPeople];
}

function successes(method: ApiMethod, shapes: Shapes): Record<string, ApiResponse> {
  const { summary: description, answer, file, query } = method;
  const usual = method.status ?? (answer === undefined && file === undefined ? 204 : 200);
  // Refusals that an address exists for are told with the others.
  if (usual >= 400) return {};
  const isList = query !== undefined && "cursor" in query.shape;
  const response = {
    description,
    ...isList && { headers: { Link: LINK } },
    ...(answer !== undefined || file !== undefined) && {
      content: {
        ...answer !== undefined && shapes.json(answer),
        ...file !== undefined && { [file]: { schema: { type: "string", format: "binary" } } },
      },
    },
  };
  const others = [method.alsoStatus ?? []].flat();
  return Object.fromEntries(
    [usual, ...others].map((
      status,
    ) => [status, status === 204 && others.includes(204) ? { description } : response]),
  );
}

const LINK = {
  description: 'The pages before and behind, with results="false" where there is none',
  schema: { type: "string" },
};

function errorsOf(path: string, method: ApiMethod): number[] {
  const { scope, query, body, upload, status, errors = [] } = method;
  const takesBody = body !== undefined || upload !== undefined;
  return [
    ...new Set<number>([
      ...query !== undefined || takesBody ? [400] : [],
      ...scope === null ? [] : [401, 403],
      ...path.includes(":") ? [404] : [],
      ...takesBody ? [413] : [],
      ...upload === undefined ? [] : [415],
      ...status !== undefined && status >= 400 ? [status] : [],
      ...errors,
      503,
    ]),
  ].sort((a, b) => a - b);
}

function pathParameters(path: string): ApiParameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...describedAs(undefined, PARAMETER_WORDS, name),
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject, shapes: Shapes): ApiParameter[] {
  return Object.entries(query.shape).map(([name, type]) => {
    const { description, ...schema } = shapes.of(type);
    return {
      name,
      in: "query",
      // Lists are empty when they are missing.
      required: !(type instanceof z.ZodArray) && !z.safeParse(type, undefined).success,
      ...describedAs(description, PARAMETER_WORDS, name),
      schema,
    };
  });
}

function describedAs(
  own: string | undefined,
  words: Readonly<Record<string, string>>,
  name: string,
) {
  const description = own ?? (Object.hasOwn(words, name) ? words[name] : undefined);
  return description === undefined ? {} : { description };
}

/** Schemas of the document; those with a title are kept apart, and told of where they are used. */
class Shapes {
  readonly #named = new Map<string, JsonSchema>();

  json(type: z.ZodType): Content {
    return { "application/json": { schema: this.of(type) } };
  }

  /** As clients write and read it: defaults are not required, and more properties may come. */
  of(type: z.core.$ZodType): JsonSchema {
    const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "input", unrepresentable: "any" });
    return this.#walk(schema) as JsonSchema;
  }

  named(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => a < b ? -1 : 1));
  }

  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#walk(each));
    if (typeof value !== "object" || value === null) return value;
    const { pattern, ...schema }: Readonly<Record<string, unknown>> = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.#walk(each)]),
    );
    const told = {
      ...schema,
      // The format says the same, and is read by people.
      ...pattern !== undefined && schema.format !== "date-time" && { pattern },
      ...schema.type === "object" && isProperties(schema.properties) &&
        { properties: described(schema.properties) },
    };
    return typeof schema.title === "string" ? this.#apart(schema.title, told) : told;
  }

  #apart(title: string, { description, ...schema }: JsonSchema): JsonSchema {
    const name = title.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());
    const known = this.#named.get(name);
    if (known === undefined) this.#named.set(name, schema);
    else if (JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two shapes of the API have the title ${title}`);
    }
    const ref = { $ref: `#/components/schemas/${name}` };
    return description === undefined ? ref : { ...ref, description };
  }
}

function isProperties(value: unknown): value is Readonly<Record<string, JsonSchema>> {
  return typeof value === "object" && value !== null;
}

function described(properties: Readonly<Record<string, JsonSchema>>) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...property, ...describedAs(property.description, PROPERTY_WORDS, name) },
    ]),
  );
}
