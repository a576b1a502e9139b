import { keep } from "@/lib/ingest/admit.ts";
import type { OutcomeKind } from "@/lib/records/mod.ts";

/** What a number of items of one category must be counted as. */
export interface Count {
  readonly category: string;
  readonly kind: OutcomeKind;
  readonly quantity: number;
}

/** Items that are stored once: whatever brings them again is a duplicate. */
export interface Once {
  readonly id: string;
  readonly category: string;
  readonly quantity: number;
  /** Of performance data, of which projects keep a share: 32 hex digits. */
  readonly traceId?: string;
}

/** What was sent, as its sender counts it. */
export class Ledger {
  readonly #counts = new Map<string, number>();
  readonly #stored = new Set<string>();

  /** @param sampleRate share of traces that the project keeps, 0 to 1 */
  add(
    projectId: string,
    counts: readonly Count[],
    once: readonly Once[] = [],
    sampleRate = 1,
  ): void {
    for (const { category, kind, quantity } of counts) {
      this.#add(`${projectId} ${category} ${kind}`, quantity);
    }
    for (const { id, category, quantity, traceId } of once) {
      if (traceId !== undefined && !keep(traceId, sampleRate)) {
        // However often it comes: what is not stored is no duplicate.
        this.#add(`${projectId} ${category} sampled`, quantity);
        continue;
      }
      const key = `${projectId} ${category} ${id}`;
      this.#add(
        `${projectId} ${category} ${this.#stored.has(key) ? "duplicate" : "accepted"}`,
        quantity,
      );
      this.#stored.add(key);
    }
  }

  /** By `<project> <category> <kind>`. */
  get totals(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  #add(line: string, quantity: number): void {
    if (quantity > 0) this.#counts.set(line, (this.#counts.get(line) ?? 0) + quantity);
  }
}

/** Reads the figures that the Usage page offers for a spreadsheet, as totals of the same form. */
export function totalsOfCsv(csv: string): Map<string, number> {
  const totals = new Map<string, number>();
  const [header = "", ...lines] = csv.trimEnd().split("\r\n");
  const columns = header.split(",");
  for (const line of lines) {
    const cells = line.split(",");
    const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
    const key = `${cell("project")} ${cell("category")} ${cell("outcome")}`;
    totals.set(key, (totals.get(key) ?? 0) + Number(cell("quantity")));
  }
  return totals;
}

/** Where two totals differ, as lines of text; empty when they are equal. */
export function differences(
  sent: ReadonlyMap<string, number>,
  counted: ReadonlyMap<string, number>,
): string[] {
  return [...new Set([...sent.keys(), ...counted.keys()])].sort().flatMap((key) => {
    const [a, b] = [sent.get(key) ?? 0, counted.get(key) ?? 0];
    return a === b ? [] : [`${key}: sent ${a}, counted ${b}`];
  });
}
