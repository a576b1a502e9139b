import type { TraceModel } from "./waterfall/trace_model.ts";
import { findEmbedded, type ProfileStores } from "../profiles/mod.ts";
import { type ProfileReading, spanProfiles } from "./span_profile.tsx";

/**
 * Reads the first of the profiles of a span, for the panel as the server draws it.
 *
 * @param openKey of the node whose panel is open, or null
 */
export async function loadSpanProfile(
  stores: ProfileStores,
  model: TraceModel,
  openKey: string | null,
): Promise<ProfileReading> {
  const index = openKey === null ? undefined : model.byKey.get(openKey);
  const [first] = index === undefined ? [] : spanProfiles(model, index);
  if (first === undefined) return { kind: "none" };
  const profile = await findEmbedded(
    stores,
    first.profile.projectId,
    first.profile.profileId,
    first.part,
  );
  return profile === null ? { kind: "failed" } : { kind: "read", profile };
}
