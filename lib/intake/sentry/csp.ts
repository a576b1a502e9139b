import { readText } from "./fields.ts";
import type { JsonObject } from "./json.ts";

/** What a security policy report contributes to its group: the directive and the host that it blocked. */
export function cspValues(csp: JsonObject): readonly [directive: string, blocked: string] {
  return [directiveOf(csp), blockedBy(csp)];
}

/** `Blocked 'script' from 'cdn.example.com'`. */
export function cspTitle(csp: JsonObject): string {
  const what = directiveOf(csp).replace(/-src(?:-elem|-attr)?$/, "");
  return `Blocked '${what}' from '${blockedBy(csp)}'`;
}

function directiveOf(csp: JsonObject): string {
  const directive = readText(csp.effective_directive) || readText(csp["effective-directive"]) ||
    readText(csp.violated_directive) || readText(csp["violated-directive"]);
  return directive?.trim().split(/\s/, 1)[0] || "unknown";
}

/** The host of what was blocked, or the word the browser gave instead, as `inline` and `eval`. */
function blockedBy(csp: JsonObject): string {
  const blocked = readText(csp.blocked_uri) || readText(csp["blocked-uri"]);
  if (!blocked || blocked === "self") return "self";
  return URL.canParse(blocked)
    ? new URL(blocked).host || blocked.slice(0, 32)
    : blocked.slice(0, 200);
}
