import { createHash } from "node:crypto";
import type { Transaction } from "../../store/database.ts";
import type { SpanBatch } from "../../records/mod.ts";
import { nameOf, type OtherRow } from "./record_row.ts";

/** Who sent the spans of a batch. */
export interface SpanSource {
  /** Made of what follows: 63 bits as decimal text. */
  readonly sourceId: string;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly platform: string;
  readonly sdk: string;
  /** JSON text of an object. */
  readonly resource: string;
}

const made = new WeakMap<SpanBatch, SpanSource>();

/** The source of a batch, made once. */
export function spanSource(batch: SpanBatch): SpanSource {
  let source = made.get(batch);
  if (source === undefined) made.set(batch, source = makeSource(batch));
  return source;
}

function makeSource(batch: SpanBatch): SpanSource {
  const facts = {
    environment: nameOf(batch.environment),
    release: nameOf(batch.release),
    service: nameOf(batch.service),
    platform: nameOf(batch.platform),
    sdk: nameOf(batch.sdk),
    resource: JSON.stringify(batch.resource),
  };
  const hash = createHash("md5").update(Object.values(facts).join("\x1f")).digest();
  return { sourceId: (hash.readBigUInt64LE(0) >> 1n).toString(), ...facts };
}

/** Writes the sources of batches that are not there yet, by the day of the batch. */
export async function saveSpanSources(
  tx: Transaction,
  rows: readonly OtherRow<SpanBatch>[],
): Promise<void> {
  const distinct = new Map(rows.map(({ projectId, record }) => {
    const day = record.timestamp.toISOString().slice(0, 10);
    const source = spanSource(record);
    return [`${projectId}/${day}/${source.sourceId}`, { projectId, day, ...source }];
  }));
  const sources = [...distinct.values()];
  const texts = (of: (source: typeof sources[number]) => string) => sources.map(of);
  await tx`
    insert into span_sources (
      project_id, "timestamp", source_id, environment, release, service, platform, sdk, resource
    )
    select * from unnest(
      ${texts(({ projectId }) => projectId)}::bigint[],
      ${texts(({ day }) => `${day}T00:00:00Z`)}::text[]::timestamptz[],
      ${texts(({ sourceId }) => sourceId)}::bigint[],
      ${texts(({ environment }) => environment)}::text[],
      ${texts(({ release }) => release)}::text[],
      ${texts(({ service }) => service)}::text[],
      ${texts(({ platform }) => platform)}::text[],
      ${texts(({ sdk }) => sdk)}::text[],
      ${texts(({ resource }) => resource)}::text[]::jsonb[]
    ) as incoming (
      project_id, "timestamp", source_id, environment, release, service, platform, sdk, resource
    )
    order by project_id, "timestamp", source_id
    on conflict (project_id, "timestamp", source_id) do nothing
  `;
}
