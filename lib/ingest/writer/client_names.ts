import type { Outcome } from "../../records/mod.ts";

/** Names that a project's clients may make up on a UTC day; SDKs know some twenty reasons and as many categories. */
const MAX_NAMES = 200;
const DAY_MS = 86_400_000;

/**
 * Bounds what clients can name. Categories and reasons in client reports are whatever a client says, and every new
 * one is a row for each hour: anybody who knows a browser's key could make millions. The first ones of a day are
 * kept as they are; those beyond are counted as `other`.
 */
export class ClientNames {
  readonly #seen = new Map<string, Set<string>>();
  #day = 0;

  /** The same outcomes; those whose names are too many keep their quantity only. */
  boundAll(projectId: string, outcomes: readonly Outcome[], now = Date.now()): readonly Outcome[] {
    if (!outcomes.some(isOfClient)) return outcomes;
    const names = this.#namesOf(projectId, Math.floor(now / DAY_MS));
    return outcomes.map((outcome) => {
      if (!isOfClient(outcome)) return outcome;
      const name = `${outcome.category}/${outcome.reason}`;
      if (!names.has(name) && names.size >= MAX_NAMES) {
        return { ...outcome, category: "default", reason: "other" };
      }
      names.add(name);
      return outcome;
    });
  }

  #namesOf(projectId: string, day: number): Set<string> {
    if (day !== this.#day) {
      this.#seen.clear();
      this.#day = day;
    }
    const known = this.#seen.get(projectId);
    if (known !== undefined) return known;
    const names = new Set<string>();
    this.#seen.set(projectId, names);
    return names;
  }
}

function isOfClient({ kind }: Outcome): boolean {
  return kind === "client_discard";
}
