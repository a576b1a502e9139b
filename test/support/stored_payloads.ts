import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import type { Sql } from "@/lib/store/database.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "@/lib/store/event_chunks/read.ts";

/** The payloads of all stored events of all projects, in the order in which they came. */
export async function storedPayloads(sql: Sql): Promise<NormalizedEvent[]> {
  const rows = await sql<(PayloadPlace & { projectId: string })[]>`
    select project_id as "projectId", event_id as "eventId", ${payloadColumns(sql)}
    from events order by received_at, event_id
  `;
  const events: NormalizedEvent[] = [];
  for (const row of rows) {
    for (const { payload } of await withPayloads(sql, row.projectId, [row])) {
      events.push(JSON.parse(payload));
    }
  }
  return events;
}
