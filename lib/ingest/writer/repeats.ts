/** What comes again: requests, which their receipts tell, and events of new requests. */
import type { Receipt } from "../../records/mod.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { insertNew, type InsertOnly } from "../../store/write_rows.ts";
import type { RequestRows } from "./rows.ts";

interface TakenReceipt {
  readonly projectId: string;
  readonly receipt: Receipt;
  readonly request: RequestRows;
}

const RECEIPTS: InsertOnly<TakenReceipt> = {
  name: "receipts",
  key: ["received_at", "request_id"],
  id: "request_id",
  idOf: ({ receipt }) => receipt.requestId.replaceAll("-", ""),
  columns: {
    received_at: ["timestamptz", ({ receipt }) => receipt.receivedAt],
    request_id: ["uuid", ({ receipt }) => receipt.requestId],
  },
};

/**
 * Writes the receipts of requests.
 *
 * @returns the requests that were not stored before: only these may be stored now
 */
export async function takeReceipts(
  tx: Transaction,
  requests: readonly RequestRows[],
): Promise<RequestRows[]> {
  const receipts = requests.flatMap((request) => {
    const { projectId, receipt } = request;
    return receipt === null ? [] : [{ projectId, receipt, request }];
  });
  // Of two that bring the same receipt at once, the first is stored.
  const fresh = new Set((await insertNew(tx, RECEIPTS, receipts)).map(({ request }) => request));
  return requests.filter((request) => request.receipt === null || fresh.has(request));
}

/** Whether all receipts of these requests are stored; null when none has any. */
export async function areReceived(
  sql: Sql,
  requests: readonly RequestRows[],
): Promise<boolean | null> {
  const mine = requests.flatMap(({ projectId, receipt }) =>
    receipt === null ? [] : [{ projectId, ...receipt }]
  );
  if (mine.length === 0) return null;
  const [row] = await sql<{ stored: number }[]>`
    select count(*)::int as stored from receipts join unnest(
      ${mine.map(({ projectId }) => projectId)}::bigint[],
      ${mine.map(({ receivedAt }) => receivedAt.toISOString())}::timestamptz[],
      ${mine.map(({ requestId }) => requestId)}::uuid[]
    ) as mine (project_id, received_at, request_id) using (project_id, received_at, request_id)
  `;
  return row?.stored === mine.length;
}

/** Some of the events of a transaction are stored already: it has to be made again, without expecting that they are not. */
export class EventsRepeated extends Error {
  override name = "EventsRepeated";
}

/** Where one event came again, others are about to: by a client that sends a second time what took too long. */
const LIKELY_MS = 1_000;

/** Knows whether events come again in these moments. Expecting in vain that they are new costs a transaction. */
export class Repeats {
  #until = -Infinity;

  get areLikely(): boolean {
    return performance.now() < this.#until;
  }

  /** Some have come. */
  note(): void {
    this.#until = performance.now() + LIKELY_MS;
  }
}
