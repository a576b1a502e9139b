/** An operation as a command that can be pasted. */
import type { ApiDocument, ApiParameter, JsonSchema } from "../openapi.ts";
import { type DocumentedOperation, shapeName } from "./nouns.ts";

/** Names as in the rest of the docs; other parameters stand for themselves. */
const SAMPLES: Readonly<Record<string, string>> = {
  organization: "acme",
  project: "shop",
  issue: "SHOP-1A",
  version: "shop%401.0.0",
  team: "backend",
  member: "me",
  event: "latest",
  trace: "771a43a4192642f0b136d5159a501700",
  environment: "production",
};

/**
 * The request as a curl command: with what it must have, and no more.
 *
 * @param baseUrl of the installation, without a slash at its end
 */
export function curlOf(
  { method, paths: [path = ""], parameters, requestBody, security }: DocumentedOperation,
  { components }: ApiDocument,
  baseUrl: string,
): string {
  const query = parameters.filter((each) => each.in === "query" && each.required)
    .map(({ name, ...rest }) => `${name}=${sampleOf(name, rest)}`).join("&");
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] ?? `<${name}>`);
  const json = requestBody?.content["application/json"];
  return [
    method === "GET" ? "curl" : `curl -X ${method}`,
    ...security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : [],
    ...json === undefined
      ? requestBody === undefined ? [] : ["-F file=@<file>"]
      : ['-H "Content-Type: application/json"', `-d '${bodyOf(json.schema, components.schemas)}'`],
    `"${baseUrl}/api/0${address}${query && `?${query}`}"`,
  ].join(" \\\n  ");
}

function sampleOf(name: string, { schema }: Pick<ApiParameter, "schema">): string {
  return SAMPLES[name] ?? String(schema.enum?.[0] ?? `<${name}>`);
}

type Schemas = Readonly<Record<string, JsonSchema>>;

/** What a body must have; of one that must have nothing, its first property. */
function bodyOf(schema: JsonSchema, schemas: Schemas): string {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  const names = Object.keys(properties);
  const chosen = required.length > 0
    ? names.filter((name) => required.includes(name))
    : names.slice(0, 1);
  const sample = chosen.map((name) => [name, valueOf(name, properties[name] ?? {}, schemas)]);
  return JSON.stringify(Object.fromEntries(sample)).replaceAll("'", "’");
}

function valueOf(name: string, schema: JsonSchema, schemas: Schemas, depth = 0): unknown {
  const { type, enum: words, items, anyOf, properties = {}, required = [], ...rest } = resolved(
    schema,
    schemas,
  );
  if (rest.const !== undefined) return rest.const;
  if (words !== undefined) return words[0];
  const [first] = anyOf ?? [];
  if (first !== undefined) return valueOf(name, first, schemas, depth);
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return SAMPLES[name] ?? "…";
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return items === undefined || depth > 2 ? [] : [valueOf(name, items, schemas, depth + 1)];
    default:
      return Object.fromEntries(
        Object.entries(depth > 2 ? {} : properties).filter(([each]) => required.includes(each))
          .map(([each, value]) => [each, valueOf(each, value, schemas, depth + 1)]),
      );
  }
}

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref === undefined ? null : shapeName(schema.$ref);
  return name === null ? schema : schemas[name] ?? schema;
}
