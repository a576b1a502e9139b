/** What a check has seen so far: whatever ends it, this much is told. */
import { storable } from "../../core/errors.ts";
import { type Resolver, systemResolver } from "../../core/addresses.ts";
import { ProbeFailure } from "./failure.ts";
import type { AddressPolicy } from "./policy.ts";
import type { Certificate, Phases, ProbeResult, Problem } from "./result.ts";

/** Of a body, in bytes, that is kept. */
const MAX_SHOWN_BODY = 8 * 1024;
const MAX_SHOWN_HEADERS = 50;
const MAX_SHOWN_HEADER = 1_000;
/** Half of the time limit, and at most this, for the connection and its handshake. */
const MAX_CONNECT_MS = 10_000;

export interface ProbeOptions {
  readonly policy: AddressPolicy;
  /** Makes the check the root of the trace that it causes. */
  readonly traceparent?: string;
  /** Ends the check early, as `stopped`. */
  readonly signal?: AbortSignal;
  readonly resolver?: Resolver;
  /** PEM of certificates to trust in place of the usual ones. */
  readonly ca?: string;
}

/** Made once for each check. */
export class Observation {
  readonly at = new Date();
  readonly ending: AbortSignal;
  readonly resolver;
  readonly policy;
  readonly ca;
  status: number | null = null;
  address: string | null = null;
  headers: Readonly<Record<string, string>> = {};
  body = "";
  certificate: Certificate | null = null;
  redirects: string[] = [];
  /** Once any host of the check was no public one. */
  isInternal = false;
  readonly #began = performance.now();
  readonly #phases: { -readonly [Phase in keyof Phases]: number | null } = {
    dns: null,
    connect: null,
    tls: null,
    firstByte: null,
    download: null,
  };
  readonly #late = new AbortController();
  readonly #timer;

  constructor(
    readonly timeoutMs: number,
    { policy, resolver = systemResolver, ca, signal }: ProbeOptions,
  ) {
    this.policy = policy;
    this.resolver = resolver;
    this.ca = ca;
    const { signal: late } = this.#late;
    this.ending = signal === undefined ? late : AbortSignal.any([late, signal]);
    this.#timer = setTimeout(() => this.#late.abort(), timeoutMs);
  }

  /** For a connection with its handshake. */
  get connectMs(): number {
    return Math.min(MAX_CONNECT_MS, this.timeoutMs / 2);
  }

  /** Adds the time from `began` until now to a phase. */
  spend(phase: keyof Phases, began: number): void {
    this.#phases[phase] = (this.#phases[phase] ?? 0) + performance.now() - began;
  }

  /** The outcome of `work`, unless the check ends first. */
  async within<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = () => reject(this.#end());
    if (this.ending.aborted) stop();
    this.ending.addEventListener("abort", stop);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.ending.removeEventListener("abort", stop);
    }
  }

  #end(): ProbeFailure {
    if (!this.#late.signal.aborted) return new ProbeFailure("stopped", "The check was stopped.");
    const step = this.status !== null
      ? "the response did not end"
      : this.#phases.connect !== null
      ? "no response came"
      : "no connection was made";
    return new ProbeFailure("timeout", `Within ${this.timeoutMs / 1_000} s ${step}.`);
  }

  /** The result, by what ended the check. */
  result(ended: { readonly slowMs: number | null } | ProbeFailure): ProbeResult {
    clearTimeout(this.#timer);
    const durationMs = performance.now() - this.#began;
    const problem = ended instanceof ProbeFailure
      ? { kind: ended.kind, sentence: ended.message }
      : slowness(durationMs, ended.slowMs);
    const { at, status, address, certificate, isInternal } = this;
    return {
      state: problem === null ? "up" : problem.kind === "slow" ? "degraded" : "down",
      problem,
      at,
      durationMs,
      phases: { ...this.#phases },
      status,
      address,
      headers: isInternal ? {} : shownHeaders(this.headers),
      body: isInternal ? "" : shownBody(this.body),
      certificate,
      redirects: isInternal ? [] : this.redirects,
    };
  }
}

function slowness(durationMs: number, slowMs: number | null): Problem | null {
  if (slowMs === null || durationMs <= slowMs) return null;
  const sentence = `It took ${Math.round(durationMs)} ms; above ${slowMs} ms is slow.`;
  return { kind: "slow", sentence };
}

/** What a site sets in a visitor's browser lets in whoever has it. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization"]);

function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).slice(0, MAX_SHOWN_HEADERS).map(([name, value]) => [
    name,
    SECRET_HEADERS.has(name) ? "[hidden]" : storable(value.slice(0, MAX_SHOWN_HEADER)),
  ]);
  return Object.fromEntries(shown);
}

function shownBody(body: string): string {
  const bytes = new TextEncoder().encode(body.slice(0, MAX_SHOWN_BODY));
  // A character that is cut in two is left out.
  return storable(
    new TextDecoder().decode(bytes.subarray(0, MAX_SHOWN_BODY), { stream: true }),
  );
}
