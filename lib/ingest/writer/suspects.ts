/** Who has sent what cannot be stored, and where such a request fails: for the log, which may see no values. */
import { sqlStateOf } from "../../core/errors.ts";

/** So long after its last unstorable request a project is written apart from others. */
const SUSPECT_MS = 60_000;
/** The one that has been here longest is forgotten. */
const MAX_SUSPECTS = 1_000;

/** Projects whose requests have lately spoiled transactions. */
export class Suspects {
  /** Until when, on the clock of `performance.now()`; the one noted last at the end. */
  readonly #until = new Map<string, number>();

  note(projectId: string): void {
    this.#until.delete(projectId);
    this.#until.set(projectId, performance.now() + SUSPECT_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MAX_SUSPECTS && oldest !== undefined) this.#until.delete(oldest);
  }

  has(projectId: string): boolean {
    const until = this.#until.get(projectId);
    return until !== undefined && until > performance.now();
  }

  /** Requests of others, and those of suspects. */
  apart<T extends { readonly projectId: string }>(
    requests: readonly T[],
  ): [trusted: readonly T[], suspected: readonly T[]] {
    if (this.#until.size === 0) return [requests, []];
    const suspected = requests.filter(({ projectId }) => this.has(projectId));
    if (suspected.length === 0) return [requests, suspected];
    return [requests.filter((request) => !suspected.includes(request)), suspected];
  }
}

/**
 * Where a statement failed. Postgres puts values into its messages and `JSON.parse` pieces of its text, so neither is
 * among it.
 *
 * @returns the SQLSTATE with the place in Postgres' source, or the kind of our error with the place in ours
 */
export function placeOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return {};
  const code = sqlStateOf(error);
  if (code !== "") return { code, routine: String(Reflect.get(error, "routine") ?? "") };
  const frame = /^\s+at .*$/m.exec(error.stack ?? "")?.[0].trim() ?? "";
  return { error: error.name, at: frame };
}
