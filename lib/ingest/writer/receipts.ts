import type { Transaction } from "../../store/database.ts";
import type { RequestRows } from "./prepare.ts";

/**
 * Writes the receipts of requests.
 *
 * @returns the requests that were not stored before: only these may be stored now
 */
export async function takeReceipts(
  tx: Transaction,
  requests: readonly RequestRows[],
): Promise<RequestRows[]> {
  const receipts = requests.flatMap(({ projectId, receipt }) =>
    receipt === null ? [] : [{ projectId, ...receipt }]
  );
  if (receipts.length === 0) return [...requests];
  const written = await tx<{ requestId: string }[]>`
    insert into receipts (project_id, received_at, request_id)
    select distinct project_id, received_at, request_id from unnest(
      ${receipts.map(({ projectId }) => projectId)}::bigint[],
      ${receipts.map(({ receivedAt }) => receivedAt.toISOString())}::text[]::timestamptz[],
      ${receipts.map(({ requestId }) => requestId)}::uuid[]
    ) as incoming (project_id, received_at, request_id)
    order by project_id, received_at, request_id
    on conflict do nothing
    returning request_id as "requestId"
  `;
  if (written.length === requests.length) return [...requests];
  const fresh = new Set(written.map(({ requestId }) => requestId));
  // `delete`: of two that bring the same receipt at once, the first is stored.
  return requests.filter(({ receipt }) => receipt === null || fresh.delete(receipt.requestId));
}
