/** Profiles as the pprof files that they are, those of SDKs also as they were sent, and a line about each: what its file does not say. */
import type { Piece } from "../parts.ts";
import { behind, cursorBehind, type ExportSource, linesOf } from "./source.ts";

const ROWS = 50;

interface ProfileRow {
  readonly id: string;
  readonly at: string;
  readonly timestamp: Date;
  readonly source: string;
  readonly kind: string;
  readonly service: string;
  readonly instance: string;
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly transaction: string;
  readonly transactionId: string | null;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly profilerId: string | null;
  readonly durationMs: number;
  readonly isDelta: boolean;
  readonly labels: unknown;
  readonly key: string;
  /** `""`: it came as a pprof. */
  readonly originalKey: string;
}

export const profiles: ExportSource = {
  name: "profiles",
  async next({ sql, objects }, { projectId, since, until }, cursor) {
    const rows = await sql<ProfileRow[]>`
      select profile_id::text as id, "timestamp"::text as at, "timestamp", source, kind, service,
        instance, platform, environment, release, transaction, profiler_id as "profilerId",
        replace(transaction_id::text, '-', '') as "transactionId",
        replace(trace_id::text, '-', '') as "traceId", span_id as "spanId",
        duration_ms as "durationMs", is_delta as "isDelta", labels, blob_key as key,
        original_key as "originalKey"
      from profiles
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${until}
        ${behind(sql, cursor, "profile_id")}
      order by "timestamp", profile_id limit ${ROWS}
    `;
    const lines: unknown[] = [];
    const pieces: Piece[] = [];
    for (const { id, at: _, key, originalKey, profilerId, ...facts } of rows) {
      const [content, sent] = await Promise.all([
        objects.get(key),
        originalKey === "" ? null : objects.get(originalKey),
      ]);
      if (content === null) continue;
      const profileId = id.replaceAll("-", "");
      const file = `profiles/${profileId}.pprof`;
      const original = `profiles/${profileId}.sentry.json.gz`;
      pieces.push({ name: file, content });
      if (sent !== null) pieces.push({ name: original, content: sent });
      lines.push({
        profileId,
        ...facts,
        profilerId: profilerId?.replaceAll("-", "") ?? null,
        file,
        ...(sent !== null && { original }),
      });
    }
    return {
      cursor: cursorBehind(rows, ROWS),
      counts: { profiles: lines.length },
      pieces: [...pieces, ...linesOf("profiles.jsonl", lines)],
    };
  },
};
