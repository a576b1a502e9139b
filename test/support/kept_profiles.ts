/** A project with profiles among its transactions and spans, and its pages. */
import type { Profile, TelemetryRecord } from "../../lib/records/mod.ts";
import { storedProfile, type StoredSpec } from "./profiled_project.ts";
import { type Shop, shop } from "./shop.ts";

export interface KeptProfiles extends Shop {
  /** `/projects/<id>/profiling` */
  readonly base: string;
  /** Stores records as if intake had made them; those of profiles with their bytes. */
  keep(...records: readonly TelemetryRecord[]): Promise<void>;
  /** Stores profiles, and returns their records. */
  profiles(...specs: readonly StoredSpec[]): Promise<Profile[]>;
}

/** A fresh project without any profile. */
export async function keptProfiles(): Promise<KeptProfiles> {
  const site = await shop();
  const { objects, writer } = site.services;
  const keep = async (...records: readonly TelemetryRecord[]) => {
    for (const record of records) {
      if (record.kind !== "profile") continue;
      const { blob, original } = record;
      await objects.put(blob.key, blob.bytes);
      if (original !== null) await objects.put(original.key, original.bytes);
    }
    await writer.commit(site.projectId, { records, outcomes: [] });
  };
  return {
    ...site,
    base: `/projects/${site.projectId}/profiling`,
    keep,
    async profiles(...specs) {
      const records = specs.map(storedProfile);
      await keep(...records);
      return records;
    },
  };
}
