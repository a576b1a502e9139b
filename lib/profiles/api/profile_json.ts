import { typeId } from "../../formats/pprof/sample_types.ts";
import type { ProfileRow } from "../queries/profile_types.ts";
import { rounded } from "../../api/figures.ts";

/** What the index tells of a profile, as JSON. Totals and period are text: they have 64 bits. */
export function profileJson(row: ProfileRow) {
  const { profileId, timestamp, durationMs, period, totals, ...rest } = row;
  const { sizeBytes, blobKey: _, originalKey, ...facts } = rest;
  return {
    id: profileId,
    start: timestamp,
    duration: rounded(durationMs),
    ...facts,
    period: String(period),
    values: totals.map(({ type, unit, total }) => (
      { id: typeId({ type, unit }), type, unit, total: String(total) }
    )),
    size: sizeBytes,
    hasOriginal: originalKey !== "",
  };
}
