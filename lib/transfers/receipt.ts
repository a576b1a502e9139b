/** How an export or import stands, for programs. */
import { z } from "zod";
import { isThere, type Transfer } from "./transfers.ts";
import { shareOf } from "./work.ts";

const time = z.iso.datetime();

export const TransferJson = z.object({
  id: z.string(),
  kind: z.enum(["export", "import"]),
  state: z.enum(["waiting", "done", "failed"]),
  progress: z.number().nullable().describe("0 to 1; null: nobody can say"),
  label: z.string().describe("Of an import: the name of the file"),
  start: time.nullable(),
  end: time.nullable(),
  counts: z.record(z.string(), z.number()).describe("How much of what, or what became of it"),
  bytes: z.number().describe("What it takes in the object store"),
  askedBy: z.string().describe("Who asked for it"),
  askedAt: time.describe("When it was asked for"),
  startedAt: time.nullable().describe("When the work began"),
  finishedAt: time.nullable().describe("When it ended"),
  error: z.string(),
  expiresAt: time.nullable().describe("Until then an export can be downloaded"),
}).meta({ title: "Export or import of a project's data" });

export function receiptOf(transfer: Transfer): z.input<typeof TransferJson> {
  const text = (date: Date | null) => date?.toISOString() ?? null;
  return {
    id: transfer.id,
    kind: transfer.kind,
    state: transfer.state,
    progress: shareOf(transfer),
    label: transfer.label,
    start: text(transfer.since),
    end: text(transfer.until),
    counts: transfer.counts,
    bytes: transfer.sizeBytes,
    askedBy: transfer.askedBy,
    askedAt: transfer.askedAt.toISOString(),
    startedAt: text(transfer.startedAt),
    finishedAt: text(transfer.finishedAt),
    error: transfer.lastError,
    expiresAt: isThere(transfer) ? text(transfer.expiresAt) : null,
  };
}
