/** Addresses by which jobs report with nothing but `curl`: who knows one may report for its job, and do nothing else. */
import type { Signer } from "../../accounts/secrets.ts";
import type { Sql } from "../../store/database.ts";

/** What an address for pings stands for. */
export interface PingTarget {
  readonly projectId: string;
  readonly slug: string;
  /** 8 lower-case hex digits: a monitor that gets others has a new address. */
  readonly nonce: string;
}

/** `7.nightly-backup.<nonce><signature>`: it can be read without a store, so that pings are spooled as well. */
const TOKEN = /^(\d{1,18})\.([a-z0-9_-]{1,50})\.([0-9a-f]{8})([0-9a-f]{32})$/;

/** The token of a monitor's address for pings; always the same for the same monitor and nonce. */
export async function pingToken(signer: Signer, target: PingTarget): Promise<string> {
  const { projectId, slug, nonce } = target;
  return `${projectId}.${slug}.${nonce}${await signer.sign(signed(target))}`;
}

/** Reads a token that this instance made; null for any other. */
export async function readPingToken(signer: Signer, token: string): Promise<PingTarget | null> {
  const [, projectId = "", slug = "", nonce = "", signature] = TOKEN.exec(token) ?? [];
  if (signature === undefined) return null;
  const target = { projectId, slug, nonce };
  // Whoever guesses has 128 bits before them, whatever the comparison tells.
  return await signer.sign(signed(target)) === signature ? target : null;
}

function signed({ projectId, slug, nonce }: PingTarget): string {
  return `ping ${projectId} ${slug} ${nonce}`;
}

/** Whether the address still holds: the monitor is there, and has not got another since. */
export async function isPingKnown(
  sql: Sql,
  { projectId, slug, nonce }: PingTarget,
): Promise<boolean> {
  const rows = await sql`
    select 1 from monitors
    where project_id = ${projectId} and slug = ${slug} and ping_nonce = ${nonce}
  `;
  return rows.length > 0;
}

/**
 * What the end of a ping's address says, as parameters of a check-in: nothing for success, `start`, `fail`, `log`, or
 * the exit status of the job.
 *
 * @returns null for any other
 */
export function pingParams(
  action: string | undefined,
  query: URLSearchParams,
): URLSearchParams | null {
  const params = new URLSearchParams({ body: "log" });
  const status = statusOf(action);
  if (status !== null) params.set("status", status);
  else if (/^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/.test(action ?? "")) {
    params.set("exit", action ?? "");
  } else return null;
  const rid = query.get("rid");
  if (rid) params.set("check_in_id", rid);
  for (const name of ["environment", "duration", "release"]) {
    const value = query.get(name);
    if (value) params.set(name, value);
  }
  return params;
}

function statusOf(action: string | undefined): string | null {
  switch (action) {
    case undefined:
    case "":
      return "ok";
    case "start":
      return "in_progress";
    case "fail":
      return "error";
    case "log":
      return "log";
    default:
      return null;
  }
}
