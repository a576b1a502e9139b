/** Bodies for methods of the API, out of what their schemas say. */
import { z } from "zod";
import type { JsonSchema } from "@/lib/api/openapi.ts";

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

/** Texts that are not taken unless they mean something. */
const MEANT: Readonly<Record<string, string>> = {
  ...{
    email: "ann@example.com",
    url: "https://example.com/a",
    timezone: "UTC",
    project: "acme-shop",
  },
  ...{
    schedule: "0 * * * *",
    shortIdLookup: "1",
    repository: "acme/shop",
    checksum: "0".repeat(40),
  },
  ...{
    statsPeriod: "14d",
    window: "5m",
    metric: "cpu.load",
    slug: "of-a-sample",
    version: "shop@1",
  },
};
/** Deeper than any body that we take. */
const MAX_DEPTH = 8;

/** A body with every field that a method knows. */
export function sampleBody(body: z.ZodType): unknown {
  const schema = z.toJSONSchema(body, { io: "input", unrepresentable: "any" });
  return sampleOf(schema as JsonSchema, "", 0);
}

function sampleOf(schema: JsonSchema, name: string, depth: number): Json {
  const { anyOf, oneOf, allOf } = schema;
  if (depth > MAX_DEPTH) return null;
  if (schema.const !== undefined) return schema.const as Json;
  if (schema.enum !== undefined) return schema.enum[0] as Json;
  const options = anyOf ?? oneOf ?? allOf;
  if (options !== undefined) {
    const [option = {}] = options.toSorted((a, b) => rankOf(b) - rankOf(a));
    return sampleOf(option, name, depth + 1);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || schema.properties !== undefined) {
    const known = Object.entries(schema.properties ?? {});
    return Object.fromEntries(known.map(([key, each]) => [key, sampleOf(each, key, depth + 1)]));
  }
  if (type === "array") return [sampleOf(schema.items ?? {}, name, depth + 1)];
  if (type === "boolean") return true;
  if (type === "number" || type === "integer") return 2;
  return MEANT[name] ?? (/date|time|start|end|until/i.test(name) ? "2026-11-20T10:00:00Z" : "text");
}

/** What has most in it comes first. */
function rankOf({ type, properties }: JsonSchema): number {
  return properties !== undefined ? 3 : type === "array" ? 2 : type === "null" ? 0 : 1;
}

/** The body with another value in one of its places, for each place. */
export function* changedAnywhere(body: unknown, value: unknown): Iterable<unknown> {
  yield value;
  if (typeof body !== "object" || body === null) return;
  for (const [key, inner] of Object.entries(body)) {
    for (const changed of changedAnywhere(inner, value)) {
      if (Array.isArray(body)) yield body.with(Number(key), changed);
      else yield { ...body, [key]: changed };
    }
  }
}

/** {@linkcode changedAnywhere} as JSON, for values that only a text can say. The first is the value in place of the body. */
export function* changedTexts(body: unknown, value: string): Iterable<string> {
  const mark = crypto.randomUUID();
  for (const changed of changedAnywhere(body, mark)) {
    yield JSON.stringify(changed).replace(`"${mark}"`, () => value);
  }
}
