import type { JsonObject } from "../json.ts";

/** Longer routes are no routes. */
const MAX_ROUTE = 1_000;

const OPENERS: Readonly<Record<string, string>> = { "{": "}", "<": ">", "[": "]" };

/** Parameters that need no bracket: `:id`, `:id?`, `*path`, `**`, `$id`. Sticky: tried at one place only. */
const BARE_PARAMETER = /(?::[A-Za-z_]\w*|\*+\w*|\$[A-Za-z_]\w*)/y;
const WORD = /\w/;
const PARAMETER = "{}";

/** Stands for the route of requests that came to none. */
export const NO_ROUTE = "(no route)";

/**
 * What requests for one endpoint have in common whichever framework, SDK or protocol names it: method and route with
 * every parameter unnamed, as `GET /users/{}`. `:id`, `{id}`, `<int:id>`, `[id]`, `*`, Django's regular expressions and
 * our own placeholders are the same; a trailing slash is no difference.
 *
 * @returns `""` when there is no method or no route
 */
export function endpointKey(httpMethod: string, route: string): string {
  if (httpMethod === "" || route === "") return "";
  const plain = route === NO_ROUTE ? route : unnamed(route.slice(0, MAX_ROUTE));
  return `${httpMethod.toUpperCase()} ${plain}`;
}

function unnamed(route: string): string {
  let result = "";
  for (let at = route.startsWith("^") ? 1 : 0; at < route.length;) {
    const { text, end } = readPart(route, at);
    const repeats = text === PARAMETER && result.endsWith(PARAMETER);
    if (!repeats) result += text;
    at = end;
  }
  const segments = result.split("/").filter((segment) => segment !== "");
  return `/${segments.join("/")}`;
}

interface Part {
  readonly text: string;
  readonly end: number;
}

function readPart(route: string, at: number): Part {
  const char = route[at] ?? "";
  const closer = OPENERS[char];
  if (closer !== undefined) {
    return { text: PARAMETER, end: skipQuantifier(route, closing(route, at, char, closer)) };
  }
  if (char === "(") return readParentheses(route, at);
  if (char === "…") return { text: PARAMETER, end: at + 1 };
  const end = endOfBareParameter(route, at);
  if (end !== null) return { text: PARAMETER, end };
  // Regular expressions end so.
  const isAnchor = char === "$" && at === route.length - 1;
  return { text: isAnchor ? "" : char, end: at + 1 };
}

/** The end of a parameter without brackets that begins here, or null. `/v1/users:batch` has none. */
function endOfBareParameter(route: string, at: number): number | null {
  const char = route[at];
  if (char !== ":" && char !== "*" && char !== "$") return null;
  if (char !== "*" && at > 0 && /[\w}\])>]/.test(route[at - 1] ?? "")) return null;
  BARE_PARAMETER.lastIndex = at;
  const match = BARE_PARAMETER.exec(route)?.[0];
  if (match === undefined) return null;
  const end = at + match.length;
  // Express lets a parameter bring its own expression: `:id(\\d+)`.
  return skipQuantifier(route, route[end] === "(" ? closing(route, end, "(", ")") : end);
}

/** Rails' `(.:format)` and Next's `(group)` are no part of a path; a regular expression is a parameter. */
function readParentheses(route: string, at: number): Part {
  const end = closing(route, at, "(", ")");
  const inner = route.slice(at + 1, end - 1);
  const isOptional = /^[./]/.test(inner) && inner.includes(":");
  const isDropped = isOptional || (inner !== "" && [...inner].every((char) => WORD.test(char)));
  return { text: isDropped ? "" : PARAMETER, end: skipQuantifier(route, end) };
}

function skipQuantifier(route: string, at: number): number {
  return /[?*+]/.test(route[at] ?? "") ? at + 1 : at;
}

/** The place after the bracket that closes the one at `at`; the end when none does. */
function closing(route: string, at: number, opener: string, closer: string): number {
  let depth = 0;
  for (let i = at; i < route.length; i++) {
    if (route[i] === opener) depth++;
    else if (route[i] === closer && --depth === 0) return i + 1;
  }
  return route.length;
}

/** What has a column of its own, is different every time, or says nothing of why one transaction is slower. */
const LEFT_OUT =
  /^(?:sentry\.|thread\.|url\.(?!path$|scheme$)|network\.|http\.|client\.|otel\.|w3c\.|telemetry\.|browser\.web_vital\.|user\.|enduser\.|profiler_id$|user_agent\.original$|server\.port$|service\.)/;
const MAX_TAGS = 30;
const MAX_KEY = 100;
const MAX_VALUE = 200;

/** Attributes of an entry span that transactions are searched and compared by; at most 30, short ones only. */
export function entryTags(attributes: JsonObject): [key: string, value: string][] {
  const tags: [string, string][] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (tags.length === MAX_TAGS) break;
    if (isEntryTag(key, value)) tags.push([key, String(value)]);
  }
  return tags;
}

/** Whether transactions are searched by such an attribute of their entry span. */
export function isEntryTag(key: string, value: unknown): boolean {
  if (key.length > MAX_KEY || LEFT_OUT.test(key)) return false;
  if (typeof value === "object" || value === undefined) return false;
  const text = String(value);
  return text !== "" && text.length <= MAX_VALUE;
}
