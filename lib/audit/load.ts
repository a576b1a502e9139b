/** What the pages of the audit log show. */
import { withTimeLimit } from "../core/waiting.ts";
import { SECOND_MS } from "../core/time.ts";
import type { Backend } from "../store/stores.ts";
import { type AuditFilter, filterOf, filterTexts } from "./filter.ts";
import { moveAudit } from "./move.ts";
import type { AuditView } from "./page.tsx";
import { listAudit, recentActors } from "./queries.ts";

const ROWS_A_PAGE = 50;
const MOVE_LIMIT_MS = 3 * SECOND_MS;

/**
 * Moves what waits in the control store first, so that a reader sees what was just done; a store that is slow just makes
 * the log a little late.
 */
export async function upToDate({ kv, sql }: Pick<Backend, "kv" | "sql">): Promise<void> {
  await withTimeLimit(moveAudit({ kv, sql }), MOVE_LIMIT_MS).catch(() => {});
}

/** @param organizationId null: of the whole instance */
export async function loadAudit(
  services: Pick<Backend, "kv" | "sql">,
  organizationId: string | null,
  search: URLSearchParams,
): Promise<Pick<AuditView, "texts" | "log" | "actors">> {
  await upToDate(services);
  const texts = filterTexts(search);
  const [log, actors] = await Promise.all([
    listAudit(
      services.sql,
      filterOf(organizationId, texts),
      search.get("cursor"),
      ROWS_A_PAGE,
    ),
    recentActors(services.sql, organizationId),
  ]);
  return { texts, log, actors };
}

/** What an export asks for: the page's own filter. */
export function exportFilter(organizationId: string | null, search: URLSearchParams): AuditFilter {
  return filterOf(organizationId, filterTexts(search));
}
