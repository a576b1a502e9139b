import type { TelemetryRecord, Transaction } from "../../records/mod.ts";

/** Profiles with what they leave to the transaction that came with them: its service, its name as stored, its span. */
export function withTransactions(records: readonly TelemetryRecord[]): readonly TelemetryRecord[] {
  if (!records.some(({ kind }) => kind === "profile")) return records;
  const transactions = new Map(
    records.flatMap((record): [string, Transaction][] =>
      record.kind === "transaction" ? [[record.eventId, record]] : []
    ),
  );
  return records.map((record) => {
    if (record.kind !== "profile" || record.transactionId === null) return record;
    const transaction = transactions.get(record.transactionId);
    if (transaction === undefined) return record;
    return {
      ...record,
      service: record.service || transaction.service,
      environment: record.environment || transaction.environment,
      release: record.release || transaction.release,
      transaction: transaction.name,
      traceId: record.traceId ?? transaction.traceId,
      spanId: record.spanId ?? transaction.spanId,
    };
  });
}
