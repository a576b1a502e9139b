import { textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";

const METHOD = /^[A-Z][A-Z_-]{1,30}$/;
/** Those that names begin with. */
const METHODS: ReadonlySet<string> = new Set(
  ["CONNECT", "DELETE", "GET", "HEAD", "HTTP", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"],
);
const ABSOLUTE_URL = /^[a-z][a-z\d+.-]{0,20}:\/\/([^/?#\s]*)([^?#\s]*)/i;

/** An HTTP method in capitals; what OpenTelemetry calls `_OTHER` is `HTTP`, and what is no method is `""`. */
export function httpMethodOf(sent: string): string {
  const method = sent.slice(0, 32).toUpperCase();
  if (method === "_OTHER") return "HTTP";
  return METHOD.test(method) ? method : "";
}

/** `GET /users/7` in its parts; null when it does not begin with a method. */
export function splitMethod(
  name: string,
): { readonly method: string; readonly rest: string } | null {
  const at = name.indexOf(" ");
  const method = at < 0 ? name : name.slice(0, at);
  return METHODS.has(method) ? { method, rest: name.slice(method.length).trimStart() } : null;
}

/** Host (with port) and path of an absolute URL; null for anything else. */
export function splitUrl(url: string): { readonly host: string; readonly path: string } | null {
  const [, authority, path] = ABSOLUTE_URL.exec(url.slice(0, 2_048)) ?? [];
  if (authority === undefined || path === undefined) return null;
  return { host: authority.slice(authority.lastIndexOf("@") + 1).toLowerCase(), path: path || "/" };
}

/** The path of the URL that attributes tell of, or `""`. */
export function pathIn(attributes: JsonObject): string {
  const path = textIn(attributes, "url.path");
  if (path !== "") return path;
  const url = textIn(attributes, "url.full");
  return url.startsWith("/") ? url : splitUrl(url)?.path ?? "";
}

const USUAL_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);

/** The host that a client called, with its port if that is an unusual one; or `""`. */
export function hostIn(attributes: JsonObject, description: string): string {
  const address = textIn(attributes, "server.address").toLowerCase();
  if (address !== "") return withPort(address, textIn(attributes, "server.port"));
  const url = textIn(attributes, "url.full");
  const host = splitUrl(url)?.host ?? splitUrl(splitMethod(description)?.rest ?? description)?.host;
  const [, name = host ?? "", port = ""] = /^(.*):(\d*)$/.exec(host ?? "") ?? [];
  return withPort(name, port);
}

function withPort(name: string, port: string): string {
  return USUAL_PORTS.has(port) || name.endsWith(`:${port}`) ? name : `${name}:${port}`;
}
