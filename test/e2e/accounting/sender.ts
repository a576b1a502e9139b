import type { OutcomeKind } from "@/lib/records/mod.ts";
import type { Ledger } from "./ledger.ts";
import type { Sending } from "./traffic.ts";

/** A project to send to, under whatever address the service has now. */
export interface Target {
  readonly projectId: string;
  readonly publicKey: string;
  /** Share of traces that the project keeps, 0 to 1. */
  readonly sampleRate: number;
}

/** What the limits are called in the header that SDKs read. */
const LIMITS: readonly (readonly [word: string, kind: OutcomeKind])[] = [
  ["rate_limit", "rate_limited"],
  ["monthly_quota", "over_quota"],
];

/** Sends requests and enters into the ledger what each must have been counted as, judging from its answer. */
export class Sender {
  /** Items and refused requests, so far. */
  items = 0;
  requests = 0;

  constructor(private readonly ledger: Ledger) {}

  /**
   * Sends one request.
   *
   * @returns its status; 429 with the kind of limit that refused it
   * @throws {Error} for an answer that the request does not deserve
   */
  async send(
    baseUrl: string,
    { projectId, publicKey, sampleRate }: Target,
    sending: Sending,
  ): Promise<{ status: number; limit: OutcomeKind | null }> {
    const { endpoint, body, encoding, status } = sending;
    const response = await fetch(
      `${baseUrl}/api/${projectId}/${endpoint}/?sentry_key=${publicKey}`,
      {
        method: "POST",
        body,
        ...(encoding && { headers: { "content-encoding": encoding } }),
      },
    );
    const text = await response.text();
    this.items += sending.items;
    this.requests++;
    if (response.status === 429) {
      const header = response.headers.get("x-sentry-rate-limits") ?? "";
      const limit = LIMITS.find(([word]) => header.endsWith(`:${word}`))?.[1];
      if (limit === undefined) throw new Error(`429 for no known limit: ${header}`);
      this.#refused(projectId, sending, limit);
      return { status: 429, limit };
    }
    if (response.status !== status) {
      throw new Error(`Expected ${status}, got ${response.status}: ${text}`);
    }
    this.ledger.add(projectId, sending.counts, sending.once, sampleRate);
    return { status, limit: null };
  }

  /** Sends a request with a key that does not fit, which counts for `countedFor`. */
  async sendWithWrongKey(
    url: string,
    sending: Sending,
    { status, countedFor }: { readonly status: number; readonly countedFor: string },
  ): Promise<void> {
    const response = await fetch(url, { method: "POST", body: sending.body });
    await response.body?.cancel();
    if (response.status !== status) throw new Error(`Expected ${status}, got ${response.status}`);
    this.requests++;
    this.items++;
    this.#refused(countedFor, sending, "refused");
  }

  #refused(projectId: string, { endpoint }: Sending, kind: OutcomeKind): void {
    // An envelope that nobody opened could hold anything.
    const category = endpoint === "store" ? "error" : "unknown";
    this.ledger.add(projectId, [{ category, kind, quantity: 1 }]);
  }
}
