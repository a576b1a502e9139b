/** The management API as an OpenAPI document. */
import { z } from "zod";
import type { ApiMethod, ApiRoutes } from "./route.ts";

const ERROR = {
  description: "Refused: `detail`, or the problems of each field",
  content: { "application/json": { schema: { type: "object" } } },
};

/**
 * Describes addresses with their methods, scopes and shapes by OpenAPI 3.1.
 *
 * @param version of the service
 */
export function openApi(routes: ApiRoutes, version: string) {
  return {
    openapi: "3.1.0",
    info: { title: "Watchpost", version },
    servers: [{ url: "/api/0" }],
    paths: Object.fromEntries(
      Object.entries(routes).map(([path, methods]) => [
        documentedPath(path),
        Object.fromEntries(
          Object.entries(methods).map(([name, method]) => [
            name.toLowerCase(),
            operationOf(path, method),
          ]),
        ),
      ]),
    ),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token of the organization" },
      },
    },
  };
}

/** A path as OpenAPI writes it: `/projects/:project` is `/projects/{project}/`. */
export function documentedPath(path: string): string {
  return `${path.replaceAll(/:(\w+)/g, "{$1}")}/`;
}

function operationOf(path: string, { scope, summary, query, body, answer, status }: ApiMethod) {
  return {
    summary,
    security: scope === null ? [] : [{ token: [scope] }],
    parameters: [...pathParameters(path), ...query === undefined ? [] : queryParameters(query)],
    ...body && { requestBody: { content: json(body) } },
    responses: {
      [status ?? (answer === undefined ? 204 : 200)]: {
        description: summary,
        ...answer && { content: json(answer) },
      },
      "4XX": ERROR,
    },
  };
}

function pathParameters(path: string) {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => (
    { name, in: "path", required: true, schema: { type: "string" } }
  ));
}

function queryParameters(query: z.ZodObject) {
  return Object.entries(query.shape).map(([name, type]) => ({
    name,
    in: "query",
    // Lists are empty when they are missing.
    required: !(type instanceof z.ZodArray) && !z.safeParse(type, undefined).success,
    schema: schemaOf(type),
  }));
}

function json(type: z.ZodType) {
  return { "application/json": { schema: schemaOf(type) } };
}

/** As clients write and read it: defaults are not required, and more properties may come. */
function schemaOf(type: z.core.$ZodType) {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "input", unrepresentable: "any" });
  return schema;
}
