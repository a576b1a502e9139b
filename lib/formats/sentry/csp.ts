import { asObject, clippedName, type Raw, readText } from "../fields.ts";
import { type JsonObject, put } from "../json.ts";
import { TEXT } from "../limits.ts";

/** What a security policy report contributes to its group: the directive and the host that it blocked. */
export function cspValues(csp: JsonObject): readonly [directive: string, blocked: string] {
  return [directiveOf(csp), blockedBy(csp)];
}

/** `Blocked 'script' from 'cdn.example.com'`; for the other reports what failed, and where. */
export function cspTitle(csp: JsonObject): string {
  const directive = directiveOf(csp);
  const failed = Object.hasOwn(FAILURES, directive) ? FAILURES[directive] : undefined;
  if (failed !== undefined) return `${failed} failed for '${blockedBy(csp)}'`;
  return `Blocked '${directive.replace(/-src(?:-elem|-attr)?$/, "")}' from '${blockedBy(csp)}'`;
}

/** Reports that are about a host's certificate stand under these names among the directives. */
const FAILURES: Readonly<Record<string, string>> = {
  "expect-ct": "Certificate transparency",
  "expect-staple": "Certificate status stapling",
  "hpkp": "Public key pinning",
};

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

/** What a browser reported, as an event has it. */
export interface SecurityReport {
  /** Fields of the report in snake_case; always `effective_directive`, and `blocked_uri` where known. */
  readonly csp: JsonObject;
  /** The page it happened on, or undefined. */
  readonly url: string | undefined;
  /** Of the browser, where the report itself says. */
  readonly userAgent: string | undefined;
}

const MAX_FIELDS = 30;

/**
 * Reads one report in any of the forms that browsers send: `{"csp-report": …}`, an element of the Reporting API,
 * `{"expect-ct-report": …}`, `{"expect-staple-report": …}` and public key pinning.
 *
 * @returns null for anything else
 */
export function readSecurityReport(sent: unknown): SecurityReport | null {
  const raw = asObject(sent);
  if (raw === undefined) return null;
  const old = asObject(raw["csp-report"]);
  if (old !== undefined) return cspReport(old, undefined);
  if (raw.type === "csp-violation" || raw.type === "csp") {
    const body = asObject(raw.body);
    return body === undefined ? null : cspReport(
      { document_uri: raw.url, ...body },
      readText(raw.user_agent),
    );
  }
  for (
    const [field, name] of [
      ["expect-ct-report", "expect-ct"],
      ["expect-staple-report", "expect-staple"],
    ] as const
  ) {
    const report = asObject(raw[field]);
    if (report !== undefined) return hostReport(report, name);
  }
  return Array.isArray(raw["known-pins"]) ? hostReport(raw, "hpkp") : null;
}

function cspReport(body: Raw, userAgent: string | undefined): SecurityReport {
  const csp = snakeCase(body);
  rename(csp, "document_url", "document_uri");
  rename(csp, "blocked_url", "blocked_uri");
  rename(csp, "sample", "script_sample");
  csp.effective_directive = directiveOf(csp);
  return { csp, url: clippedName(csp.document_uri, TEXT.url), userAgent };
}

/** Certificates and pins fill kilobytes, and say little without tools of their own. */
function hostReport(report: Raw, name: string): SecurityReport {
  const csp = snakeCase(report);
  const host = clippedName(csp.hostname, TEXT.path) ?? "unknown";
  csp.effective_directive = name;
  csp.blocked_uri = host;
  return { csp, url: `https://${host}/`, userAgent: undefined };
}

/** `blocked-uri` and `blockedURL` → `blocked_uri`, `blocked_url`. */
function snakeCase(raw: Raw): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(raw).slice(0, MAX_FIELDS)) {
    const key = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_").toLowerCase();
    const text = Array.isArray(value) ? JSON.stringify(value) : value;
    if (typeof text === "string") put(fields, key, text.slice(0, TEXT.pair).toWellFormed());
    else if (typeof text === "number" || typeof text === "boolean") put(fields, key, text);
  }
  return fields;
}

function rename(fields: JsonObject, from: string, to: string): void {
  const value = fields[from];
  if (value === undefined) return;
  fields[to] ??= value;
  delete fields[from];
}
