import type { Json, JsonObject } from "../json.ts";
import { parseJsonText, put } from "../json.ts";
import {
  asBag,
  asObject,
  clip,
  clippedText,
  isEmpty,
  type Raw,
  readText,
  repairFields,
  unsliced,
} from "../fields.ts";
import { TEXT } from "../limits.ts";
import type { Pair, RequestInfo } from "./normalized_event.ts";
import { readPairs, splitPairs } from "./pairs.ts";

const METHOD = /^[A-Z_-]{3,32}$/;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The HTTP request that was being served, or made, when it happened; undefined when nothing is known of it. */
export function normalizeRequest(value: unknown): RequestInfo | undefined {
  const raw = asObject(value);
  if (!raw || isEmpty(raw)) return undefined;
  const query = splitUrl(raw);
  const method = readText(raw.method)?.trim().toUpperCase();
  raw.method = method && METHOD.test(method) ? method : undefined;
  raw.query_string = filled(pairsOf(raw.query_string, "&")) ?? filled(pairsOf(query, "&"));
  const headers = readPairs(raw.headers);
  const cookies = pairsOf(raw.cookies, ";");
  raw.headers = filled(headers.filter(([name]) => name.toLowerCase() !== "cookie"));
  raw.cookies = filled(cookies.length > 0 ? cookies : cookiesOf(headers));
  repairFields(raw, ["env"], asBag);
  const request = raw as RequestInfo;
  readBody(request);
  return request;
}

/** Cuts query and fragment off the URL; the fragment goes to its field, the query is returned. */
function splitUrl(raw: Raw): string | undefined {
  const url = clippedText(raw.url, 4 * TEXT.url);
  raw.fragment = clippedText(raw.fragment, TEXT.url);
  const [beforeFragment, fragment] = splitOnce(url ?? "", "#");
  const [path, query] = splitOnce(beforeFragment, "?");
  raw.url = clip(path, TEXT.url) || undefined;
  raw.fragment ??= clip(fragment, TEXT.url) || undefined;
  return query;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [unsliced(text.slice(0, at)), unsliced(text.slice(at + 1))];
}

function pairsOf(value: unknown, separator: "&" | ";"): Pair[] {
  if (typeof value !== "string") return readPairs(value);
  const text = value.startsWith("?") ? value.slice(1) : value;
  return splitPairs(clip(text, TEXT.body), separator);
}

function cookiesOf(headers: Pair[]): Pair[] {
  return headers.filter(([name]) => name.toLowerCase() === "cookie")
    .flatMap(([, cookies]) => splitPairs(cookies, ";"));
}

function filled(pairs: Pair[]): Pair[] | undefined {
  return pairs.length > 0 ? pairs : undefined;
}

/** Parses a body that came as text into what it says, if its type or its first character tells how. */
function readBody(request: RequestInfo): void {
  const body = request.data;
  if (body === null || body === "") {
    repairFields(request as Raw, ["data"], () => undefined);
  }
  if (typeof body !== "string" || body === "") return;
  const type = request.headers?.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const json = body.length <= TEXT.body ? jsonIn(body) : undefined;
  if (json !== undefined) {
    request.data = json;
    request.inferred_content_type ??= JSON_TYPE;
  } else if (type?.startsWith(FORM_TYPE)) {
    request.data = formFields(splitPairs(clip(body, TEXT.body), "&"));
    request.inferred_content_type ??= FORM_TYPE;
  } else {
    request.data = clip(body, TEXT.body);
  }
}

function jsonIn(text: string): Json | undefined {
  if (!/^\s{0,20}[[{]/.test(text)) return undefined;
  try {
    return parseJsonText(text);
  } catch {
    return undefined; // text that only begins like JSON is kept as text
  }
}

function formFields(pairs: Pair[]): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of pairs) {
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (before === undefined) put(fields, name, value);
    else put(fields, name, Array.isArray(before) ? [...before, value] : [before, value]);
  }
  return fields;
}
