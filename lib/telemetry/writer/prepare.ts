import type { Batch, Outcome } from "../records.ts";
import { categoryOf, type EventRow, toEventRow } from "./event_row.ts";
import { OutcomeTally } from "./outcome_tally.ts";

const PROJECT_ID = /^\d{1,18}$/;

/** A batch as the writer's queue takes it. */
export interface PreparedBatch {
  readonly rows: readonly EventRow[];
  readonly outcomes: OutcomeTally;
  /** How many records are no use to Postgres; they are among the outcomes. */
  readonly refused: number;
}

/** Turns records into rows; what cannot become one is counted as `invalid`. */
export function prepareBatch(
  projectId: string,
  { records, outcomes }: Pick<Batch, "records" | "outcomes">,
): PreparedBatch {
  const rows: EventRow[] = [];
  const tally = tallyOutcomes(projectId, outcomes);
  for (const record of records) {
    try {
      rows.push(toEventRow(projectId, record));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const category = categoryOf(record);
      tally.add(projectId, { category, kind: "invalid", reason: "refused_by_store", quantity: 1 });
    }
  }
  return { rows, outcomes: tally, refused: records.length - rows.length };
}

/**
 * Adds up outcomes of a project.
 *
 * @throws {TypeError} when the project id is no number of at most 18 digits
 */
export function tallyOutcomes(projectId: string, outcomes: readonly Outcome[]): OutcomeTally {
  if (!PROJECT_ID.test(projectId)) {
    throw new TypeError(`Cannot store: ${projectId} is no project id`);
  }
  const tally = new OutcomeTally();
  for (const outcome of outcomes) tally.add(projectId, outcome);
  return tally;
}
