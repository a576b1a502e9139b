/** The document of the API as its pages show it: operations by noun, those that answer at several addresses once. */
import type { ApiDocument, ApiOperation, JsonSchema } from "../openapi.ts";
import type { Tag } from "../tags.ts";

/** One operation with all addresses at which it answers, the shortest description first. */
export interface DocumentedOperation extends ApiOperation {
  readonly method: string;
  /** Below `/api/0`. */
  readonly paths: readonly string[];
}

export interface Noun {
  readonly name: string;
  /** By which its page is asked for. */
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly DocumentedOperation[];
}

export const DOCS_PATH = "/api/docs";

export function nounPath(slug: string): string {
  return `${DOCS_PATH}?noun=${slug}`;
}

/** The nouns of a document in its order, each with its operations. */
export function nounsOf({ tags, paths }: ApiDocument): Noun[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    }))
  );
  return tags.map(({ name, description }) => {
    const ours = all.filter((operation) => operation.tags.includes(name));
    const alike = Map.groupBy(
      ours,
      ({ method, summary, requestBody, responses }) =>
        JSON.stringify([method, summary, requestBody, Object.values(responses)[0]]),
    );
    const operations = [...alike.values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : [{ ...first, paths: [first, ...others].map(({ path }) => path) }]
    );
    return { name, slug: slugOf(name as Tag), description, operations };
  });
}

function slugOf(name: Tag): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

/** What of the nouns has all these words in its addresses, method or summary. */
export function found(nouns: readonly Noun[], query: string): Noun[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return nouns.map((noun) => ({
    ...noun,
    operations: noun.operations.filter(({ method, paths, summary }) => {
      const text = [noun.name, method, summary, ...paths].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    }),
  })).filter(({ operations }) => operations.length > 0);
}

/** Names of the shapes that operations use, and that those use in turn, in order. */
export function shapesOf(
  operations: readonly DocumentedOperation[],
  schemas: ApiDocument["components"]["schemas"],
): string[] {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { $ref } = value as JsonSchema;
    const name = typeof $ref === "string" ? shapeName($ref) : null;
    if (name !== null && !names.has(name)) {
      names.add(name);
      walk(schemas[name]);
    }
    Object.values(value).forEach(walk);
  };
  for (const { requestBody, responses } of operations) walk([requestBody, responses]);
  return [...names].sort();
}

/** Of a reference to a shape; null for one to something else. */
export function shapeName(ref: string): string | null {
  return /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1] ?? null;
}
