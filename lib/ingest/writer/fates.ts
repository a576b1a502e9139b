/** What became of the rows of a transaction: for who sent them, in counts and in measures. */
import { MEASURES, type RecordKind } from "../../core/measures/measures.ts";
import type { CheckInFate } from "../../monitors/cron/apply.ts";
import { countOf, type OutcomeKind } from "../../records/mod.ts";
import { Tallies } from "./counts.ts";
import type { FiledEvent } from "./events.ts";
import { recordOf, type RecordRow, type RequestRows } from "./rows.ts";
import type { storeRecords } from "./store_records.ts";

/** What became of a row. */
export type Fate = "refused" | "discarded" | CheckInFate;

/** What a transaction did with each row. */
export type Fates = ReadonlyMap<RecordRow, Fate>;

/** What was stored, and what was left out on purpose. */
interface Stored {
  readonly filed: readonly FiledEvent[];
  readonly dropped: ReadonlySet<RecordRow>;
  readonly others: Awaited<ReturnType<typeof storeRecords>> | null;
}

/** The fate of each row; whatever has none of its own was there before. */
export function fatesOf(
  rows: readonly RecordRow[],
  { filed, dropped, others }: Stored,
): Map<RecordRow, Fate> {
  const stored = new Set<RecordRow>([...filed.map(({ row }) => row), ...others?.stored ?? []]);
  const checkIns: ReadonlyMap<RecordRow, Fate> = others?.checkIns ?? new Map();
  return new Map(
    rows.map((row): [RecordRow, Fate] => [
      row,
      stored.has(row)
        ? "stored"
        : dropped.has(row)
        ? "discarded"
        : checkIns.get(row) ?? "duplicate",
    ]),
  );
}

/** How each is counted, and the reason. */
const OUTCOME_OF_FATE: Readonly<Record<Fate, readonly [kind: OutcomeKind, reason: string]>> = {
  stored: ["accepted", ""],
  duplicate: ["duplicate", ""],
  refused: ["invalid", "refused_by_store"],
  discarded: ["filtered", "discarded"],
  monitor_off: ["filtered", "monitor_off"],
  monitor_rate: ["rate_limited", "monitor_rate"],
  too_many_monitors: ["refused", "too_many_monitors"],
  check_in_mismatch: ["invalid", "check_in_mismatch"],
};

/** The counts that were waiting, and those of the requests that are stored now. */
export function withResults(
  counts: Tallies,
  requests: readonly RequestRows[],
  fates: Fates,
): Tallies {
  const all = new Tallies();
  all.addAll(counts);
  for (const { projectId, rows, outcomes, receipt } of requests) {
    all.outcomes.addAll(outcomes);
    for (const row of rows) {
      const [kind, reason] = OUTCOME_OF_FATE[fates.get(row) ?? "duplicate"];
      const outcome = { ...countOf(recordOf(row)), kind, reason };
      all.outcomes.add(projectId, outcome, receipt?.receivedAt.getTime());
    }
  }
  return all;
}

/** Kinds of records, as operators know them. */
const KINDS: Readonly<Record<ReturnType<typeof recordOf>["kind"], RecordKind>> = {
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
