import {
  asCount,
  asEntries,
  asInstant,
  asList,
  asObject,
  asObjects,
  asPairs,
  asText,
  type JsonObject,
  prettyJson,
} from "../../ui/json.ts";
import { type Frame, framesOf } from "./stack.ts";

/** How an SDK came to capture an exception. */
export interface Mechanism {
  readonly type: string;
  /** Null when the SDK does not say. */
  readonly isHandled: boolean | null;
  readonly description: string;
  /** An http(s) address, or `""`. */
  readonly helpLink: string;
  /** Codes of the system and what else the SDK added, ready to show. */
  readonly facts: readonly (readonly [label: string, value: unknown])[];
}

export interface Exception {
  /** `""` for what only stands in for a message's stack. */
  readonly type: string;
  readonly value: string;
  readonly module: string;
  readonly mechanism: Mechanism | null;
  /** How it hangs together with the one above it; null for the first. */
  readonly link: { readonly isCause: boolean; readonly via: string } | null;
  /** How many exception groups it is in. */
  readonly depth: number;
  /** Newest first. */
  readonly frames: readonly Frame[];
}

/**
 * The exceptions of an event, outermost first: the one that people saw, then what caused it. Members of a group follow
 * the group, each with what is below it.
 */
export function exceptionsOf(event: JsonObject): readonly Exception[] {
  const platform = asText(event.platform);
  const raw = asObjects(event.exception).filter(isTelling).toReversed();
  return inTree(raw).map(({ raw: one, depth, isMember }, index) => {
    const mechanism = asObject(one.mechanism);
    return {
      type: asText(one.type),
      value: asText(one.value),
      module: asText(one.module),
      mechanism: mechanism && mechanismOf(mechanism),
      link: index === 0 ? null : { isCause: !isMember, via: asText(mechanism?.source) },
      depth,
      frames: framesOf(one.stacktrace, platform),
    };
  });
}

interface Placed {
  readonly raw: JsonObject;
  readonly depth: number;
  readonly isMember: boolean;
}

/**
 * Puts exceptions in the order of the tree that their ids draw, each before what is below it. Where the ids draw none,
 * they are a chain in the order given.
 */
function inTree(raw: readonly JsonObject[]): Placed[] {
  const byId = new Map(raw.map((one) => [idOf(one), one]));
  const children = Map.groupBy(raw, parentOf);
  const isRoot = (one: JsonObject) => parentOf(one) === null || !byId.has(parentOf(one));
  if (byId.has(null) || byId.size < raw.length) {
    return raw.map((one) => ({ raw: one, depth: 0, isMember: false }));
  }
  const placed: Placed[] = [];
  const place = (one: JsonObject, depth: number, isMember: boolean): void => {
    placed.push({ raw: one, depth, isMember });
    for (const child of children.get(idOf(one)) ?? []) {
      const isInGroup = isMemberOf(child, one);
      place(child, isInGroup ? depth + 1 : depth, isInGroup);
    }
  };
  for (const one of raw.filter(isRoot)) place(one, 0, false);
  // A circle of parents hangs below no root.
  const seen = new Set(placed.map((each) => each.raw));
  const others = raw.filter((one) => !seen.has(one));
  return [...placed, ...others.map((one) => ({ raw: one, depth: 0, isMember: false }))];
}

function idOf(one: JsonObject): number | null {
  return asCount(asObject(one.mechanism)?.exception_id);
}

/** Python's SDK hangs each cause below the outermost group; the exception that it caused is numbered before it. */
function parentOf(one: JsonObject): number | null {
  const { source, parent_id } = asObject(one.mechanism) ?? {};
  const id = idOf(one);
  const isPythonCause = source === "__cause__" || source === "__context__";
  return isPythonCause && id !== null && id > 0 ? id - 1 : asCount(parent_id);
}

/** A group may have a cause beside its members, which SDKs number, as `exceptions[0]`. */
function isMemberOf(one: JsonObject, parent: JsonObject): boolean {
  const source = asText(asObject(one.mechanism)?.source);
  return asObject(parent.mechanism)?.is_exception_group === true &&
    (source === "" || /\[\d+\]$/.test(source));
}

/** Whether some exception escaped the program's own handling. */
export function isUnhandled(exceptions: readonly Exception[]): boolean {
  return exceptions.some(({ mechanism }) => mechanism?.isHandled === false);
}

function isTelling(raw: JsonObject): boolean {
  return asText(raw.type) !== "" || asText(raw.value) !== "" ||
    asList(asObject(raw.stacktrace)?.frames).length > 0;
}

function mechanismOf(raw: JsonObject): Mechanism {
  const helpLink = asText(raw.help_link);
  return {
    type: asText(raw.type),
    isHandled: typeof raw.handled === "boolean" ? raw.handled : null,
    description: asText(raw.description),
    helpLink: /^https?:\/\//i.test(helpLink) ? helpLink : "",
    facts: [
      ...asEntries(raw.meta).map(([name, value]): [string, unknown] => [name, value]),
      ...asEntries(raw.data),
    ],
  };
}

export interface HttpRequest {
  readonly method: string;
  /** With its query and fragment; `""` when the client sent none. */
  readonly url: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  readonly environment: readonly (readonly [name: string, value: unknown])[];
  /** Body as text; objects as JSON for reading; `""` for none. */
  readonly body: string;
}

/** The HTTP request that an event happened in, or null when it holds none. */
export function requestOf(event: JsonObject): HttpRequest | null {
  const raw = asObject(event.request);
  if (!raw) return null;
  const query = queryOf(raw.query_string);
  const request = {
    method: asText(raw.method),
    url: fullUrl(asText(raw.url), query, asText(raw.fragment)),
    query,
    headers: asPairs(raw.headers),
    cookies: typeof raw.cookies === "string" ? cookiesOf(raw.cookies) : asPairs(raw.cookies),
    environment: asEntries(raw.env),
    body: bodyOf(raw.data),
  };
  const isEmpty = request.url === "" && request.method === "" && request.headers.length === 0 &&
    request.body === "" && request.environment.length === 0;
  return isEmpty ? null : request;
}

function queryOf(raw: unknown): [string, string][] {
  if (typeof raw !== "string") return asPairs(raw);
  const params = new URLSearchParams(raw.replace(/^\?/, ""));
  return [...params].map(([name, value]) => [asText(name), asText(value)]);
}

function fullUrl(url: string, query: readonly (readonly [string, string])[], fragment: string) {
  if (url === "") return "";
  const params = new URLSearchParams(query.map(([name, value]) => [name, value]));
  const search = params.size > 0 && !url.includes("?") ? `?${params}` : "";
  return url + search + (fragment === "" ? "" : `#${fragment.replace(/^#/, "")}`);
}

function cookiesOf(text: string): [string, string][] {
  return text.split(/;\s*/).filter(Boolean).map((part) => {
    const equals = part.indexOf("=");
    return equals === -1
      ? [asText(part), ""]
      : [asText(part.slice(0, equals)), asText(part.slice(equals + 1))];
  });
}

function bodyOf(raw: unknown): string {
  return typeof raw === "object" && raw !== null ? asText(prettyJson(raw)) : asText(raw);
}

/** What kind of step a breadcrumb tells of; each has its own mark on the timeline. */
export type CrumbKind = "error" | "http" | "navigation" | "ui" | "query" | "console" | "other";

export interface Breadcrumb {
  readonly kind: CrumbKind;
  /** Category, or the type where there is none: `fetch`, `ui.click`, `console`. */
  readonly category: string;
  /** `debug`, `info`, `warning`, `error`, `fatal`, or whatever the client wrote. */
  readonly level: string;
  readonly message: string;
  readonly data: readonly (readonly [name: string, value: unknown])[];
  readonly at: Date | null;
}

/** The breadcrumbs of an event, newest first: what happened right before comes first. */
export function breadcrumbsOf(event: JsonObject): readonly Breadcrumb[] {
  return asObjects(event.breadcrumbs).map(breadcrumbOf).toReversed();
}

function breadcrumbOf(raw: JsonObject): Breadcrumb {
  const type = asText(raw.type);
  const category = asText(raw.category) || (type === "default" ? "" : type);
  const level = asText(raw.level) || "info";
  const kind = kindOf(type, category, level);
  const data = asObject(raw.data) ?? {};
  const summary = summaryOf(kind, data);
  return {
    kind,
    category,
    level,
    message: [asText(raw.message), summary.text].filter(Boolean).join(" · "),
    data: asEntries(data).filter(([name]) => !summary.told.includes(name)),
    at: asInstant(raw.timestamp),
  };
}

function kindOf(type: string, category: string, level: string): CrumbKind {
  const words = `${type} ${category}`;
  if (type === "error" || level === "error" || level === "fatal") return "error";
  if (/\b(?:http|xhr|fetch|httplib|http_client)\b/.test(words)) return "http";
  if (/\bnavigation\b/.test(words)) return "navigation";
  if (/\b(?:ui|user|touch)\b/.test(words)) return "ui";
  if (/\b(?:query|sql|db|redis)\b/.test(words)) return "query";
  return /\b(?:console|log|logging)\b/.test(words) ? "console" : "other";
}

/** One line for what the data of common kinds means, and which names it has told. */
function summaryOf(kind: CrumbKind, data: JsonObject): { text: string; told: readonly string[] } {
  const url = asText(data.url);
  if (url !== "") {
    const method = asText(data.method ?? data["http.request.method"] ?? data["http.method"]);
    const status = asText(data.status_code ?? data["http.response.status_code"]);
    return {
      text: [method.toUpperCase(), url, status && `→ ${status}`].filter(Boolean).join(" "),
      told: [
        "url",
        "method",
        "status_code",
        "http.method",
        "http.request.method",
        "http.response.status_code",
      ],
    };
  }
  if (kind === "navigation") {
    const text = [asText(data.from), asText(data.to)].filter(Boolean).join(" → ");
    return { text, told: ["from", "to"] };
  }
  return { text: "", told: [] };
}
