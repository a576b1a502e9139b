import { prettyJson } from "../../ui/pretty_json.ts";
import { asEntries, asObject, asPairs, asText, type JsonObject } from "../../ui/read.ts";

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
