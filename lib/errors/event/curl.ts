import type { HttpRequest } from "./request.ts";

/** What a header name may hold (RFC 9110, token); also keeps curl from reading `@file`. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Headers that curl makes itself, or that would contradict the body. */
const OWN_HEADERS = new Set(["content-length", "connection", "transfer-encoding"]);
/** What scrubbing leaves of a secret, here and in the SDKs. */
const SCRUBBED = /^\[?(?:filtered|redacted|removed)\]?$/i;

/**
 * The request as a curl command for a POSIX shell, or null when there is no http(s) address to call.
 * Headers whose value was scrubbed are left out, since sending the placeholder would only mislead.
 */
export function curlOf({ method, url, headers, cookies, body }: HttpRequest): string | null {
  if (!/^https?:\/\//i.test(url)) return null;
  const parts = [`curl --globoff --url ${quote(url)}`];
  const verb = method.toUpperCase();
  // --data means POST and no --data means GET: only other verbs need saying.
  if (/^[A-Z-]+$/.test(verb) && verb !== (body === "" ? "GET" : "POST")) {
    parts.push(verb === "HEAD" ? "--head" : `--request ${verb}`);
  }
  for (const [name, value] of headers) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name.toLowerCase()) || SCRUBBED.test(value)) {
      continue;
    }
    parts.push(`--header ${quote(`${name}: ${oneLine(value)}`)}`);
  }
  const sent = cookies.filter(([name, value]) => name !== "" && !SCRUBBED.test(value));
  if (sent.length > 0) {
    const text = sent.map(([name, value]) => `${name}=${value}`).join("; ");
    parts.push(`--header ${quote(`Cookie: ${oneLine(text)}`)}`);
  }
  if (body !== "") parts.push(`--data-raw ${quote(body)}`);
  return parts.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}
