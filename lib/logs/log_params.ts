import { LOG_LEVELS, type LogLevel } from "../records/mod.ts";
import type { LogTerm } from "./queries.ts";

export interface LogParams {
  /** The search as it was typed. */
  readonly query: string;
  readonly levels: readonly LogLevel[];
  readonly words: readonly string[];
  readonly terms: readonly LogTerm[];
}

const MAX_QUERY = 500;
const MAX_PARTS = 20;

/** `word`, `"several words"`, `key:value`, `key:"a value"`, `!key:value`. */
const PART = /(!?)(?:([\w.-]{1,100}):)?("(?:[^"\\]|\\.)*"|\S+)/g;

/** Reads the search of the Logs page; whatever is typed asks for something. */
export function parseLogParams(params: URLSearchParams): LogParams {
  const query = (params.get("query") ?? "").trim().slice(0, MAX_QUERY);
  const words: string[] = [];
  const terms: LogTerm[] = [];
  for (const [whole, not, key, text = ""] of [...query.matchAll(PART)].slice(0, MAX_PARTS)) {
    const value = text.startsWith('"') && text.endsWith('"') && text.length > 1
      ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1")
      : text;
    if (key === undefined) words.push(not === "!" ? whole : value);
    else terms.push({ key, value, isNegated: not === "!" });
  }
  const wanted = params.getAll("level");
  return { query, words, terms, levels: LOG_LEVELS.filter((level) => wanted.includes(level)) };
}
