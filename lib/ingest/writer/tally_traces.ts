/** What transactions and spans add to the counts that pages read. */
import type { Measurement, SpanBatch, Transaction } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_status.ts";
import { ownerIdOf } from "../../records/owner.ts";
import { groupName } from "../../store/stats/group_name.ts";
import { type Series, seriesOf } from "../../store/stats/series.ts";
import { clientOf } from "./client_facts.ts";
import { callerName, OTHER_SPANS, OTHER_TRANSACTIONS } from "../../store/stats/name_caps.ts";
import { nameOf } from "./record_row.ts";
import type { Observation, StatTally } from "../../store/stats/stat_tally.ts";

/** The vitals that browsers measure, in milliseconds but for `cls`. */
const VITALS: ReadonlySet<string> = new Set(["lcp", "inp", "cls", "fcp", "ttfb"]);
/** A tab in the background takes minutes to paint: that tells nothing of the page. */
const MAX_VITAL = 60_000;

/** Adds a transaction that is new. */
export function tallyTransaction(
  projectId: string,
  transaction: Transaction,
  tally: StatTally,
): void {
  const place = placeOf(transaction);
  const seen = {
    time: transaction.timestamp,
    value: transaction.durationMs,
    isFailed: transaction.isFailed,
    weight: weightOf(transaction),
    httpStatus: transaction.httpStatus,
    user: transaction.user,
    traceId: transaction.traceId,
  };
  tally.add(projectId, seriesOf({ kind: "total", ...place }), seen);
  const named = {
    name: nameOf(transaction.name),
    op: nameOf(transaction.op),
    httpMethod: nameOf(transaction.httpMethod),
    route: nameOf(transaction.route),
    protocol: transaction.sentAs === "entry" ? "otlp" : "sentry",
  };
  tally.add(projectId, seriesOf({ kind: "transaction", ...place, ...named }), seen);
  const { foldedName } = transaction;
  if (foldedName !== undefined) tally.addFolded(projectId, transaction.timestamp, foldedName);
  // Those of a segment stand on the span that it is as well.
  if (transaction.sentAs !== "transaction") return;
  const client = clientOf(Object.fromEntries(transaction.tags));
  for (const vital of transaction.measurements) {
    const page = { ...place, name: nameOf(transaction.name) };
    tallyVital(projectId, { page, client, vital, seen }, tally);
  }
}

interface MeasuredVital {
  readonly page: ReturnType<typeof placeOf> & Pick<Series, "name">;
  readonly client: ReturnType<typeof clientOf>;
  readonly vital: Measurement;
  readonly seen: Observation;
}

/** Counts a vital for its page, and for its page and kind of visitor. */
function tallyVital(
  projectId: string,
  { page, client, vital: { name: op, value }, seen }: MeasuredVital,
  tally: StatTally,
): void {
  if (!VITALS.has(op) || value < 0 || value > MAX_VITAL) return;
  const measured = { ...seen, value, isFailed: false, user: null, httpStatus: null };
  tally.add(projectId, seriesOf({ kind: "vital", ...page, op }), measured);
  tally.add(projectId, seriesOf({ kind: "visit", ...page, op, ...client }), measured);
}

/** Names of transactions that came along with spans, by {@linkcode entryKey}. */
export type EntryNames = ReadonlyMap<string, string>;

/** Tells one transaction from all others. */
export function entryKey(projectId: string, traceId: string, spanId: string): string {
  return `${projectId}/${traceId}/${spanId}`;
}

/** Adds the spans of a batch that are new. */
export function tallySpans(
  projectId: string,
  batch: SpanBatch,
  entryNames: EntryNames,
  tally: StatTally,
): void {
  const place = placeOf(batch);
  const weight = weightOf(batch);
  for (const span of batch.spans) {
    const owner = entryNames.get(entryKey(projectId, batch.traceId, ownerIdOf(span) ?? ""));
    const parent = nameOf(owner ?? batch.transaction);
    const seen = {
      time: new Date(span.end * 1000),
      value: (span.end - span.start) * 1000,
      isFailed: isFailedStatus(span.status),
      weight,
      httpStatus: null,
      user: null,
      traceId: batch.traceId,
    };
    if (span.category !== "" && span.group !== "") {
      const group = groupName(span.group);
      const isKnown = tally.names.admit(projectId, "span", group);
      const work = { name: isKnown ? group : OTHER_SPANS, category: span.category };
      tally.add(projectId, seriesOf({ kind: "span", ...place, ...work }), seen);
      const caller = tally.names.admit(projectId, "caller", callerName(work.name, parent))
        ? { ...work, parent }
        : { ...work, parent: OTHER_TRANSACTIONS };
      tally.add(projectId, seriesOf({ kind: "caller", ...place, ...caller }), seen);
    }
    if (span.measurements.length === 0 || parent === "") continue;
    const [page, client] = [{ ...place, name: parent }, clientOf(span.data)];
    for (const vital of span.measurements) {
      tallyVital(projectId, { page, client, vital, seen }, tally);
    }
  }
}

function placeOf({ environment, release, service }: Transaction | SpanBatch) {
  return {
    environment: nameOf(environment),
    release: nameOf(release),
    service: nameOf(service),
  };
}

function weightOf({ clientSampleRate, serverSampleRate }: Transaction | SpanBatch): number {
  return 1 / (clientSampleRate * serverSampleRate);
}
