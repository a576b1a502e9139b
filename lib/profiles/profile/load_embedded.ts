import { HttpError } from "fresh";
import type { FlameData } from "../../ui/flamegraph/flame_data.ts";
import { flamePayload } from "../trees/flame_payload.ts";
import { loadProfile } from "./load_profile.ts";
import type { ProfilePart } from "../profile_part.ts";
import { profilePartParams } from "../profile_part.ts";
import type { ProfileStores } from "./read_part.ts";

/** A flame graph in little. */
export interface EmbeddedProfile {
  readonly data: FlameData;
  /** Those in it. */
  readonly samples: number;
  /** Milliseconds between two samples, or null when nobody can tell. */
  readonly intervalMs: number | null;
}

/** What a narrow panel can show. */
const LIMITS = { maxNodes: 300, minShare: 1 / 300 };

/**
 * Reads a part of a profile for a panel of another page.
 *
 * @param query as the page of the profile has it
 * @throws {HttpError} 404 when there is no such profile, or its bytes are gone
 */
export async function loadEmbedded(
  stores: ProfileStores,
  projectId: string,
  profileId: string,
  query: URLSearchParams,
): Promise<EmbeddedProfile> {
  const { row, read, graph } = await loadProfile(stores, projectId, profileId, query);
  if (graph === null) throw new HttpError(404, "The samples of this profile cannot be read.");
  return {
    data: flamePayload(graph.treeOf(null), { ...LIMITS, platform: row.platform }),
    samples: read.samples,
    intervalMs: read.intervalMs,
  };
}

/** The same for a page that goes on without it; null when there is no such profile any more. */
export async function findEmbedded(
  stores: ProfileStores,
  projectId: string,
  profileId: string,
  part: Partial<ProfilePart>,
): Promise<EmbeddedProfile | null> {
  const query = new URLSearchParams(profilePartParams(part).map((pair) => [...pair]));
  try {
    return await loadEmbedded(stores, projectId, profileId, query);
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}
