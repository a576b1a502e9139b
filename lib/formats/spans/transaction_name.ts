import { textIn } from "../attributes.ts";
import { type EntryName, type EntryRequest, UNLABELED } from "./entry_name.ts";
import type { EntrySource } from "./entry_facts.ts";
import { splitMethod, splitUrl } from "./http_request.ts";
import { templateName } from "./name_template.ts";
import { templatePath } from "./path_template.ts";

/** Names of these sources may hold ids. */
const RAW_SOURCES: ReadonlySet<string> = new Set(["url", "unknown", ""]);
const BARE_PAGE_NAME = /^(?:pageload|navigation)$/i;

/** Names a transaction, or a segment, of Sentry's SDKs: as they do, but for ids; only routes hold none. */
export function nameSentryEntry(entry: EntrySource, request: EntryRequest): EntryName {
  const name = entry.name.trim() || UNLABELED;
  if (entry.source === "route") return { name, source: "route", route: routeOf(entry, name) };
  if (!RAW_SOURCES.has(entry.source)) {
    const { name: plain } = withoutIds(name, entry.source);
    const source = plain === name ? entry.source : "sanitized";
    return { name: plain, source, route: routeOf(entry, name) };
  }
  if (request.isHttpServer) return nameServed(entry, request, name);
  if (BARE_PAGE_NAME.test(name) && request.path !== "") {
    return { name: templatePath(request.path) || "/", source: "sanitized", route: "" };
  }
  return { ...withoutIds(name, entry.source), route: "" };
}

/** Whether the name is a route, or of the code behind one: WSGI's `generic WSGI request` comes as a route as well. */
export function isSentryRoute({ name, source }: EntrySource): boolean {
  return !RAW_SOURCES.has(source) && (source !== "route" || pathOf(name.trim()) !== "");
}

function nameServed(
  entry: EntrySource,
  { httpMethod, path }: EntryRequest,
  name: string,
): EntryName {
  const route = textIn(entry.attributes, "http.route");
  const isBare = name === httpMethod || name === "HTTP" || name === UNLABELED;
  const template = route || templatePath(pathOf(name) || path);
  if (template !== "" && (isBare || (route !== "" && name.includes("/")))) {
    const source = route === "" ? "sanitized" : "route";
    return { name: `${httpMethod} ${template}`.trim(), source, route: template };
  }
  return { ...withoutIds(name, entry.source), route: template };
}

/** The path within a name that has one, as `GET /users/7` and `https://host/users/7`; else `""`. */
function pathOf(name: string): string {
  const rest = splitMethod(name)?.rest ?? name;
  return rest.startsWith("/") ? rest : splitUrl(rest)?.path ?? "";
}

/** A name that may be a path, or hold one, with placeholders for ids. */
export function withoutIds(name: string, source: string): Pick<EntryName, "name" | "source"> {
  if (name === UNLABELED) return { name, source: source || "unknown" };
  if (pathOf(name) === "") {
    const template = templateName(name);
    return { name: template, source: template === name ? source || "unknown" : "sanitized" };
  }
  const split = splitMethod(name);
  const template = templatePath(pathOf(name)) || "/";
  return {
    name: split === null ? template : `${split.method} ${template}`,
    source: "sanitized",
  };
}

/** What its framework calls the route, if that is what the name tells. */
function routeOf({ source, attributes }: EntrySource, name: string): string {
  const route = textIn(attributes, "http.route");
  if (route !== "") return route;
  return source === "route" || source === "sanitized" ? pathOf(name) : "";
}
