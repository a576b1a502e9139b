/** Requests that were set aside and go without having been stored. */
import { findDeletedProject } from "../accounts/deleted_projects.ts";
import { findProject } from "../accounts/projects.ts";
import type { Logger } from "../core/log.ts";
import { DAY_MS } from "../core/time.ts";
import type { Category } from "../records/mod.ts";
import { protocolNamed } from "./protocols/named.ts";
import type { AsideLoss } from "./set_aside.ts";
import type { Spool } from "./spool.ts";
import type { Writer } from "./writer/writer.ts";

/** Counts them as what they were before anybody had looked into them. */
export function countLost(writer: Pick<Writer, "count">, lost: readonly AsideLoss[]): void {
  for (const { projectId, protocol } of lost) {
    const outcome = {
      category: categoryOf(protocol),
      kind: "refused",
      reason: "deleted_unstored",
      quantity: 1,
    } as const;
    writer.count(projectId, [outcome]);
  }
}

function categoryOf(protocol: string): Category {
  try {
    return protocolNamed(protocol).category;
  } catch {
    return "unknown";
  }
}

interface ExpiryTools {
  readonly kv: Deno.Kv;
  readonly spool: Pick<Spool, "aside">;
  readonly writer: Pick<Writer, "count">;
  readonly log: Logger;
  readonly retentionDays: number;
}

/** Deletes what is older than what is stored of it would be, and what no project is there for any more. */
export async function expireAside(
  { kv, spool, writer, log, retentionDays }: ExpiryTools,
): Promise<void> {
  const oldest = new Date(Date.now() - retentionDays * DAY_MS);
  const isThere = async (id: string) =>
    await findProject(kv, id) !== null || await findDeletedProject(kv, id) !== null;
  const lost = await spool.aside.expire(oldest, isThere);
  if (lost.length === 0) return;
  for (const each of lost) if (await isThere(each.projectId)) countLost(writer, [each]);
  log.warn("deleted what was set aside for too long", { requests: lost.length });
}
