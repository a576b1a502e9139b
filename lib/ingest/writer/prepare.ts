import { type Batch, countOf, type Outcome, type Receipt } from "../../records/mod.ts";
import { OutcomeTally } from "./outcome_tally.ts";
import { type RecordRow, toRecordRow } from "./record_row.ts";

const PROJECT_ID = /^\d{1,18}$/;

/** What one request stores: all of it in one transaction, or nothing. */
export interface RequestRows {
  readonly projectId: string;
  readonly rows: readonly RecordRow[];
  /** Beyond those of its rows. */
  readonly outcomes: OutcomeTally;
  /** Null: nobody asks whether the request was stored before. */
  readonly receipt: Receipt | null;
  /** How many records are no use to Postgres; they are among the outcomes. */
  readonly refused: number;
}

/**
 * Turns a request's records into rows; what cannot become one is counted as `invalid`.
 *
 * @throws {TypeError} when the project id is no number of at most 18 digits
 */
export function prepareBatch(
  projectId: string,
  { records, outcomes }: Pick<Batch, "records" | "outcomes">,
  receipt: Receipt | null,
): RequestRows {
  const rows: RecordRow[] = [];
  const tally = tallyOutcomes(projectId, outcomes, receipt?.receivedAt);
  for (const record of records) {
    try {
      rows.push(toRecordRow(projectId, record));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      tally.add(projectId, { ...countOf(record), kind: "invalid", reason: "refused_by_store" });
    }
  }
  return { projectId, rows, outcomes: tally, receipt, refused: records.length - rows.length };
}

/**
 * Adds up outcomes of a project.
 *
 * @param receivedAt decides about the hour they count for. @default now
 * @throws {TypeError} when the project id is no number of at most 18 digits
 */
export function tallyOutcomes(
  projectId: string,
  outcomes: readonly Outcome[],
  receivedAt: Date = new Date(),
): OutcomeTally {
  if (!PROJECT_ID.test(projectId)) {
    throw new TypeError(`Cannot store: ${projectId} is no project id`);
  }
  const tally = new OutcomeTally();
  for (const outcome of outcomes) tally.add(projectId, outcome, receivedAt.getTime());
  return tally;
}
