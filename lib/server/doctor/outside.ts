/** Whether the service answers, here and at the address that clients are told, and what a proxy in between does. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { get as getSecurely } from "node:https";
import { connect } from "node:tls";
import type { Config } from "../../core/config.ts";
import { readCertificate } from "../../monitors/probes/certificate.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";
import { clockFinding } from "./postgres.ts";

const LIMIT_MS = 10_000;
const FEW_DAYS = 14;
/** Of the second that a stream pauses. */
const UNBUFFERED_MS = 500;

/** Where the service answers: at its own port on this machine, or where clients are told to send; null: nowhere. */
export async function serviceAddress(config: Config): Promise<string | null> {
  for (const address of [ownAddress(config), config.baseUrl]) {
    if (await isAlive(address).catch(() => false)) return address;
  }
  return null;
}

/** Without the path of `SERVICE_BASE_URL`, which is the proxy's. */
function ownAddress({ host, port, tls }: Config): string {
  const own = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http${tls === null ? "" : "s"}://${own.includes(":") ? `[${own}]` : own}:${port}`;
}

/** Asks this machine, whose certificate is for another name: that one is judged at `SERVICE_BASE_URL`. */
async function ask(url: string): Promise<{ status: number; text: string }> {
  const send = url.startsWith("https:") ? getSecurely : get;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const request = send(url, { rejectUnauthorized: false, agent: false, signal });
  const [answer]: IncomingMessage[] = await once(request, "response", { signal });
  if (answer === undefined) throw new Error("there is no answer");
  const text = (await Array.fromAsync(answer)).map(String).join("");
  return { status: answer.statusCode ?? 0, text };
}

/** What a running service says of its stores. @param address that `serviceAddress()` found */
export async function checkService(address: string): Promise<Finding[]> {
  const { text } = await ask(`${address}/readyz`);
  const { intake, failing = [], setAside = 0 }: Readiness = JSON.parse(text);
  const found: Finding[] = [];
  if (failing.length > 0) {
    found.push(problem(
      "service",
      `The running service has no answer from ${failing.join(" and ")}.`,
      "Look at what is said of these stores below, and at its log.",
    ));
  }
  if (intake === "refusing") {
    found.push(problem(
      "service",
      "What clients send is refused with 503: it can be neither stored nor kept.",
      "Look at the disk and the stores; docs/operations.md says what refuses when.",
    ));
  }
  if (intake === "spooling") {
    found.push(warning(
      "service",
      "What clients send waits in the spool, because Postgres is away.",
      "Bring Postgres back before the spool is full (SERVICE_SPOOL_MAX_BYTES).",
    ));
  }
  if (setAside) {
    found.push(warning(
      "service",
      `${setAside} requests are set aside, because trying again does not store them.`,
      "Look at the Instance page: it says what refuses them, and tries them again.",
    ));
  }
  return found.length > 0 ? found : [ok("service", "The service runs and stores what it is sent.")];
}

interface Readiness {
  readonly intake?: string;
  readonly failing?: readonly string[];
  /** Null while nobody knows. */
  readonly setAside?: number | null;
}

/** @param ca PEM of certificates to trust in place of the usual ones */
export async function checkOutside({ baseUrl }: Config, ca?: string): Promise<Finding[]> {
  const isSecure = baseUrl.startsWith("https:");
  const certificate = isSecure ? await checkCertificate(baseUrl, ca) : [];
  using client = Deno.createHttpClient(ca === undefined ? {} : { caCerts: [ca] });
  const before = Date.now();
  let answer: Response;
  try {
    answer = await fetch(`${baseUrl}/healthz`, through(client));
  } catch (error) {
    return [...certificate, unreachable(baseUrl, reasonOf(error))];
  }
  const middle = (before + Date.now()) / 2;
  const isOurs = isWatchpost(answer.status, await answer.text());
  if (!isOurs) {
    return [...certificate, unreachable(baseUrl, `something else says ${answer.status}`)];
  }
  const found = [
    ok("address", `${baseUrl} (SERVICE_BASE_URL) answers; from elsewhere it may still be closed.`),
    ...certificate,
    ...dateOf(answer, middle),
  ];
  return [...found, await checkStream(baseUrl, client)];
}

async function isAlive(address: string): Promise<boolean> {
  const { status, text } = await ask(`${address}/healthz`);
  return isWatchpost(status, text);
}

function isWatchpost(status: number, text: string): boolean {
  return status === 200 && text.trim() === '{"status":"alive"}';
}

function limited() {
  return { signal: AbortSignal.timeout(LIMIT_MS), redirect: "manual" as const };
}

function through(client: Deno.HttpClient): RequestInit & { readonly client: Deno.HttpClient } {
  return { ...limited(), client };
}

function unreachable(baseUrl: string, reason: string): Finding {
  return problem(
    "address",
    `The service runs, but not at ${baseUrl} (SERVICE_BASE_URL), which DSNs and links name: ${reason}.`,
    "Look at the name's DNS entry, the firewall, and whether the proxy passes all paths on; some networks cannot reach their own outer address.",
  );
}

/** Whole seconds, and a moment old: HTTP tells no more. */
function dateOf({ headers }: Response, at: number): Finding[] {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return [];
  const finding = clockFinding(date + 500 - at, "whoever answers at SERVICE_BASE_URL");
  return finding.level === "ok" ? [] : [finding];
}

async function checkCertificate(baseUrl: string, ca?: string): Promise<Finding[]> {
  const { hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: Number(port) || 443,
    ...host.includes(":") || /^[\d.]+$/.test(host) ? {} : { servername: host },
    ...ca === undefined ? {} : { ca },
    rejectUnauthorized: false,
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(LIMIT_MS) });
    const certificate = readCertificate(socket, host, new Date());
    if (certificate === null) throw new Error("it shows none");
    return [certificateFinding(certificate)];
  } catch (error) {
    return [problem(
      "certificate",
      `No TLS connection to ${hostname} can be made: ${reasonOf(error)}.`,
      "Look at the proxy or at TLS_CERT and TLS_KEY.",
    )];
  } finally {
    socket.destroy();
  }
}

/** @param certificate days until it ends, and what clients find wrong with it */
export function certificateFinding(
  { daysLeft, problem: wrong }: { readonly daysLeft: number; readonly problem: string | null },
): Finding {
  if (wrong !== null) {
    return problem("certificate", wrong, "Put a certificate there that browsers and SDKs trust.");
  }
  const meaning = `The certificate is good for ${daysLeft} days.`;
  return daysLeft < FEW_DAYS
    ? warning("certificate", meaning, "Renew it, and look why that did not happen by itself.")
    : ok("certificate", meaning);
}

/** The health answer as a stream pauses for a second between its two events. */
async function checkStream(baseUrl: string, client: Deno.HttpClient): Promise<Finding> {
  try {
    const { body } = await fetch(`${baseUrl}/healthz?stream`, through(client));
    const times: number[] = [];
    for await (const _ of body ?? []) times.push(performance.now());
    const gap = (times.at(-1) ?? 0) - (times[0] ?? 0);
    if (gap >= UNBUFFERED_MS) return ok("streams", "Live updates come through at once.");
  } catch (error) {
    return problem(
      "streams",
      `Live updates break off: ${reasonOf(error)}.`,
      "Look at the proxy's log.",
    );
  }
  return warning(
    "streams",
    "Something in between holds live updates back until they are complete.",
    "Turn buffering off in the proxy for answers of type text/event-stream (nginx: proxy_buffering off).",
  );
}
