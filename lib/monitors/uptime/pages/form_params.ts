/** The fields of the monitor form, and what they come to. */
import { SECOND_MS } from "@/lib/core/time.ts";
import { fieldOf } from "@/lib/ui/form.ts";
import type { FormErrors } from "@/lib/ui/components/fields.tsx";
import { REDIRECTS, type Target, TIMEOUT_MS } from "../../probes/target.ts";
import {
  CERTIFICATE_DAYS,
  checkMonitor,
  INTERVAL_SEC,
  type Monitor,
  type MonitorInput,
  RECOVERIES,
  TRIES,
} from "../monitor.ts";

export type TargetKind = Target["kind"];

/** A form with what its fields come to. */
export interface ReadMonitorForm {
  readonly kind: TargetKind;
  readonly params: URLSearchParams;
  /** Null when there are errors. */
  readonly input: MonitorInput | null;
  readonly errors: FormErrors;
}

const KINDS: readonly TargetKind[] = ["http", "tcp", "tls", "dns", "ping"];

/** The kind that an address or a form names; HTTP when it names none. */
export function kindOf(params: URLSearchParams): TargetKind {
  return KINDS.find((kind) => kind === params.get("kind")) ?? "http";
}

/** Of an address that a link fills in; longer ones are nobody's. */
const MAX_URL = 2_000;

/**
 * What the form of a new monitor begins with.
 *
 * @param url that it shall check, as the address of the form may say; nobody has looked at it
 */
export function emptyParams(kind: TargetKind, url: string | null = null): URLSearchParams {
  const address = kind === "http" ? (url ?? "").slice(0, MAX_URL) : "";
  return new URLSearchParams({
    kind,
    url: address,
    name: URL.parse(address)?.hostname ?? "",
    interval: String(INTERVAL_SEC.default),
    tries: String(TRIES.default),
    recoveries: String(RECOVERIES.default),
    certificateDays: CERTIFICATE_DAYS.join(", "),
    timeout: String(TIMEOUT_MS.default / SECOND_MS),
    method: "GET",
    expectedStatus: "200-299",
    maxRedirects: String(REDIRECTS.default),
    family: "any",
    port: kind === "tls" ? "443" : "",
    recordType: "A",
    match: "equals",
  });
}

/** The fields of a monitor that is changed; secrets are asterisks. */
export function paramsOf(monitor: Monitor): URLSearchParams {
  const { target } = monitor;
  const params = new URLSearchParams({
    kind: target.kind,
    name: monitor.name,
    interval: String(monitor.intervalSec),
    tries: String(monitor.failureThreshold),
    recoveries: String(monitor.recoveryThreshold),
    certificateDays: monitor.certificateDays.join(", "),
    timeout: String(target.timeoutMs / SECOND_MS),
    slow: target.slowMs === null ? "" : String(target.slowMs),
    ...fieldsOfTarget(target),
  });
  for (const channelId of monitor.channelIds) params.append("channel", channelId);
  return params;
}

function fieldsOfTarget(target: Target): Record<string, string> {
  const on = (isOn: boolean) => isOn ? "on" : "";
  switch (target.kind) {
    case "http":
      return {
        url: target.url,
        method: target.method,
        headers: target.headers.map(([name, value]) => `${name}: ${value}`).join("\n"),
        body: target.body,
        user: target.basicAuth?.user ?? "",
        password: target.basicAuth?.password ?? "",
        expectedStatus: target.expectedStatus,
        keyword: target.keyword?.text ?? "",
        keywordAbsent: on(target.keyword?.isAbsent ?? false),
        jsonPath: target.json?.path ?? "",
        jsonComparison: target.json?.comparison ?? "=",
        jsonValue: target.json?.value ?? "",
        maxRedirects: String(target.maxRedirects),
        allowsDowngrade: on(target.allowsDowngrade),
        ignoresTls: on(target.ignoresTls),
        http2: on(target.http2),
        family: target.family,
      };
    case "tcp":
      return { host: target.host, port: String(target.port), family: target.family };
    case "tls":
      return {
        host: target.host,
        port: String(target.port),
        servername: target.servername ?? "",
        family: target.family,
      };
    case "dns":
      return {
        dnsName: target.name,
        recordType: target.type,
        expected: target.expected ?? "",
        match: target.match,
        nameServer: target.nameServer ?? "",
      };
    case "ping":
      return { host: target.host, family: target.family };
  }
}

/**
 * Reads the form.
 *
 * @param former the monitor that is changed: what the form does not show stays
 */
export function readMonitorForm(
  params: URLSearchParams,
  former: Monitor | null,
): ReadMonitorForm {
  const kind = former?.target.kind ?? kindOf(params);
  const checked = checkMonitor({
    name: fieldOf(params, "name"),
    intervalSec: numberOf(params, "interval"),
    failureThreshold: numberOf(params, "tries"),
    recoveryThreshold: numberOf(params, "recoveries"),
    certificateDays: fieldOf(params, "certificateDays").split(/[\s,]+/).filter(Boolean).map(Number),
    windows: former?.windows ?? [],
    channelIds: params.getAll("channel"),
    isPaused: former?.isPaused ?? false,
    target: targetOf(kind, params),
  });
  if (checked.ok) return { kind, params, input: checked.input, errors: {} };
  const errors: Record<string, string> = {};
  for (const { field, message } of checked.problems) errors[fieldNameOf(field)] ??= message;
  return { kind, params, input: null, errors };
}

function targetOf(kind: TargetKind, params: URLSearchParams): Record<string, unknown> {
  const field = (name: string) => fieldOf(params, name);
  const isOn = (name: string) => params.get(name) === "on";
  const timeout = Number(field("timeout") || NaN) * SECOND_MS;
  const timing = {
    timeoutMs: Number.isFinite(timeout) ? Math.round(timeout) : NaN,
    slowMs: field("slow") === "" ? null : numberOf(params, "slow"),
  };
  const place = { host: field("host"), family: field("family") || "any" };
  switch (kind) {
    case "http":
      return {
        kind,
        ...timing,
        url: field("url"),
        method: field("method"),
        headers: headersOf(params.get("headers") ?? ""),
        body: (params.get("body") ?? "").replaceAll("\r\n", "\n"),
        basicAuth: field("user") === "" && field("password") === ""
          ? null
          : { user: field("user"), password: params.get("password") ?? "" },
        expectedStatus: field("expectedStatus"),
        keyword: field("keyword") === ""
          ? null
          : { text: field("keyword"), isAbsent: isOn("keywordAbsent") },
        json: field("jsonPath") === "" ? null : {
          path: field("jsonPath"),
          comparison: field("jsonComparison"),
          value: field("jsonValue"),
        },
        maxRedirects: numberOf(params, "maxRedirects"),
        allowsDowngrade: isOn("allowsDowngrade"),
        ignoresTls: isOn("ignoresTls"),
        http2: isOn("http2"),
        family: place.family,
      };
    case "tcp":
      return { kind, ...timing, ...place, port: numberOf(params, "port") };
    case "tls":
      return {
        kind,
        ...timing,
        ...place,
        port: numberOf(params, "port"),
        servername: field("servername") || null,
      };
    case "dns":
      return {
        kind,
        ...timing,
        name: field("dnsName"),
        type: field("recordType"),
        expected: field("expected") || null,
        match: field("match"),
        nameServer: field("nameServer") || null,
      };
    case "ping":
      return { kind, ...timing, ...place };
  }
}

/** Lines of `Name: value`; a line without a colon is a name without a value, which the check refuses or takes. */
function headersOf(text: string): [string, string][] {
  return text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean).map((line) => {
    const at = line.indexOf(":");
    return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

function numberOf(params: URLSearchParams, name: string): number {
  const text = fieldOf(params, name);
  return /^\d{1,6}$/.test(text) ? Number(text) : NaN;
}

/** Fields of the form that are called otherwise than what they make. */
const FIELDS: Readonly<Record<string, string>> = {
  intervalSec: "interval",
  failureThreshold: "tries",
  recoveryThreshold: "recoveries",
  channelIds: "channel",
  "target.timeoutMs": "timeout",
  "target.slowMs": "slow",
  "target.basicAuth.user": "user",
  "target.basicAuth.password": "password",
  "target.keyword.text": "keyword",
  "target.json.path": "jsonPath",
  "target.json.comparison": "jsonComparison",
  "target.json.value": "jsonValue",
  "target.name": "dnsName",
  "target.type": "recordType",
};

/** The field of the form that a problem is shown at. */
export function fieldNameOf(field: string): string {
  const own = FIELDS[field];
  if (own !== undefined) return own;
  const [first = "", second = ""] = field.split(".");
  return FIELDS[first] ?? (first === "target" ? second : first);
}
