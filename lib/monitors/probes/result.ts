/** What one check has seen. */

export interface ProbeResult {
  readonly state: "up" | "degraded" | "down";
  /** Null when up. */
  readonly problem: Problem | null;
  /** When the check began. */
  readonly at: Date;
  /** From the beginning to the last byte that was read. */
  readonly durationMs: number;
  readonly phases: Phases;
  /** HTTP status of the last answer. */
  readonly status: number | null;
  /** The address that was connected to last. */
  readonly address: string | null;
  /** Of the last answer, names in lower case; empty for internal targets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 8 KiB as text; empty for internal targets. */
  readonly body: string;
  readonly certificate: Certificate | null;
  /** Where redirects led, in order, as far as they were followed; empty for internal targets. */
  readonly redirects: readonly string[];
}

export interface Problem {
  readonly kind: ProbeProblem;
  /** For whoever owns the monitor. */
  readonly sentence: string;
}

export const PROBLEMS = [
  /** No full answer within the time limit, or no connection within half of it. */
  "timeout",
  /** The name is not known, or the name server does not answer. */
  "dns",
  /** Nobody takes the connection. */
  "connection",
  "tls",
  /** Too many, none that can be read, or from https to http. */
  "redirect",
  "status",
  "keyword",
  "json",
  /** DNS records that are not the expected ones. */
  "record",
  /** Degraded, not down. */
  "slow",
  /** The address may not be checked from here. */
  "refused",
  /** This instance cannot make such a check. */
  "unsupported",
  /** The connection broke, or the answer is no HTTP. */
  "broken",
  /** We stopped ourselves: says nothing about the target. */
  "stopped",
] as const;
export type ProbeProblem = typeof PROBLEMS[number];

/** In milliseconds, over all redirects; null: it did not come to it. */
export interface Phases {
  readonly dns: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  /** From the request sent to the first byte of the answer. */
  readonly firstByte: number | null;
  readonly download: number | null;
}

export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  /** Host names and addresses that it is for. */
  readonly names: readonly string[];
  readonly validFrom: Date;
  /** The earliest end in the chain that was sent, without the root. */
  readonly validTo: Date;
  /** Whole days from the check until `validTo`; negative once it is over. */
  readonly daysLeft: number;
  /** SHA-256 of the leaf, as `AB:CD:…`. */
  readonly fingerprint: string;
  /** As `TLSv1.3`. */
  readonly protocol: string;
  /** A sentence when a client would not trust it; else null. */
  readonly problem: string | null;
}

/** For a check that was not made, and why. */
export function notMade(problem: Problem, at: Date = new Date()): ProbeResult {
  return {
    state: "down",
    problem,
    at,
    durationMs: 0,
    phases: { dns: null, connect: null, tls: null, firstByte: null, download: null },
    status: null,
    address: null,
    headers: {},
    body: "",
    certificate: null,
    redirects: [],
  };
}
