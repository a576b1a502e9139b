/** Remembers which maps events would have needed, and which events wait for theirs. */
import { storable } from "../../core/errors.ts";
import { HOUR_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { ExpiringMap } from "./expiring_map.ts";

/** What would find the map of a file. */
export interface MissingMap {
  /** 32 hex digits; `""` when the event has none for the file. */
  readonly debugId: string;
  readonly release: string;
  readonly dist: string;
}

export interface MissingMaps {
  /** Writes each once an hour. Never throws, and nobody need wait for it. */
  note(projectId: string, missing: readonly MissingMap[]): Promise<void>;
  /** Has events mapped later that are stored as they came. */
  later(projectId: string, eventIds: readonly string[]): Promise<void>;
}

/** Of this process, within an hour; whoever makes up more ids is not helped by a map. */
const REMEMBERED = 20_000;
/** Of one project, for the same reason. */
const MAX_A_PROJECT = 2_000;
/** Postgres' indexes hold no longer names than events have. */
const MAX_NAME = 250;

export function openMissingMaps(sql: Sql): MissingMaps {
  const written = new ExpiringMap<true>(REMEMBERED);
  const counts = new ExpiringMap<number>(REMEMBERED);
  return {
    async note(projectId, missing) {
      const rows = missing.map(({ debugId, release, dist }) => ({
        debugId,
        release: storable(release).slice(0, MAX_NAME),
        dist: storable(dist).slice(0, MAX_NAME),
      })).filter(({ debugId, release, dist }) => {
        const key = [projectId, debugId, release, dist].join("\n");
        const count = counts.get(projectId) ?? 0;
        if (written.get(key) !== undefined || count >= MAX_A_PROJECT) return false;
        written.set(key, true, HOUR_MS);
        counts.set(projectId, count + 1, HOUR_MS);
        return debugId !== "" || release !== "";
      });
      if (rows.length === 0) return;
      try {
        await sql`
          insert into missing_maps as known (project_id, debug_id, release, dist)
          select ${projectId}, * from unnest(
            ${rows.map(({ debugId }) => debugId)}::text[],
            ${rows.map(({ release }) => release)}::text[],
            ${rows.map(({ dist }) => dist)}::text[]
          ) as missing (debug_id, release, dist)
          order by 2, 3, 4
          on conflict (project_id, debug_id, release, dist) do update set last_seen = excluded.last_seen
        `;
      } catch {
        // Postgres is away: the next hour notes it, and mapping again by hand does without.
      }
    },
    async later(projectId, eventIds) {
      await sql`
        insert into unmapped_events (project_id, event_id)
        select ${projectId}, id from unnest(${[...eventIds]}::uuid[]) as id order by id
        on conflict do nothing
      `.catch(() => {});
    },
  };
}
