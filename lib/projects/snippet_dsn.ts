import { dsn, type IngestKey } from "../accounts/keys.ts";
import type { Snippet } from "./snippets/mod.ts";

/** Stands in the snippets where nobody may see or use a key. */
const PLACEHOLDER_KEY = "0".repeat(32);

export interface SnippetDsnInput {
  /** Active keys of the project; none for people who may not see them. */
  readonly keys: readonly IngestKey[];
  readonly projectId: string;
  /** `config.baseUrl` */
  readonly baseUrl: string;
  readonly snippet: Pick<Snippet, "key" | "isKeyStrict">;
}

/**
 * The DSN that a snippet shows: that of the right kind of key, or of any where any will do; else one with a key of
 * zeros, which is nobody's.
 */
export function snippetDsn({ keys, projectId, baseUrl, snippet }: SnippetDsnInput): string {
  const right = keys.find(({ type }) => type === snippet.key);
  const key = right ?? (snippet.isKeyStrict ? undefined : keys[0]);
  if (key !== undefined) return dsn(baseUrl, key);
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${PLACEHOLDER_KEY}@${host}${pathname.replace(/\/+$/, "")}/${projectId}`;
}

/** Whether the project has keys, but none that a snippet can do with. */
export function lacksKey({ keys, snippet }: Pick<SnippetDsnInput, "keys" | "snippet">): boolean {
  return (snippet.isKeyStrict ?? false) && keys.length > 0 &&
    keys.every(({ type }) => type !== snippet.key);
}
