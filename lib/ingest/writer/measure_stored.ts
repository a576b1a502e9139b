import { MEASURES, type RecordKind } from "../../core/measures/measures.ts";
import { countOf } from "../../records/mod.ts";
import type { Fate } from "./flush.ts";
import { recordOf, type RecordRow } from "./rows.ts";

type Stored = ReturnType<typeof recordOf>;

/** Kinds of records, as operators know them. */
const KINDS: Readonly<Record<Stored["kind"], RecordKind>> = {
  error: "error",
  transaction: "transaction",
  spans: "span",
  attachment: "attachment",
  feedback: "feedback",
  session: "session",
  sessions: "session",
  check_in: "check_in",
  log: "log",
  profile: "profile",
  metrics: "metric_point",
};

/** Counts what is durable now. @param fates one a row */
export function measureStored(rows: readonly RecordRow[], fates: readonly Fate[]): void {
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row === undefined || fates[index] !== "stored") continue;
    const record = recordOf(row);
    MEASURES.recordsStored.add(Math.max(1, countOf(record).quantity), KINDS[record.kind]);
  }
}
