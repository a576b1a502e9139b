import type { Batch, Profile } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import { senderOf } from "./sender.ts";
import type { OtlpProfiles } from "./profiles_model_2.ts";
import { profileSets } from "./profile_sets.ts";
import { toRecord } from "./records.ts";
import { Work } from "./work.ts";

/** Makes the records of an export request. What cannot or shall not be stored is counted. */
export function profileBatch(
  { groups, dictionary }: OtlpProfiles,
  context: DecodeContext,
): Batch {
  const tally = new OutcomeTally();
  const records = new Map<string, Profile>();
  const work = new Work();
  for (const set of profileSets(groups, dictionary)) {
    const { group, profiles } = set;
    const unwanted = context.policy.filterOther(senderOf(group.attributes).release, context);
    if (unwanted !== null) {
      tally.add("profile", "filtered", unwanted, profiles.length);
      continue;
    }
    const record = toRecord(set, dictionary, context, work);
    if (typeof record === "string") {
      const kind = record === "profile_size" ? "too_large" : "invalid";
      tally.add("profile", kind, record, profiles.length);
    } else if (records.has(record.profileId)) {
      tally.add("profile", "duplicate", "same_profile", profiles.length);
    } else records.set(record.profileId, record);
  }
  return { records: [...records.values()], outcomes: tally.outcomes, eventId: null };
}
