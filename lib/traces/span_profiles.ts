import type { LinkedProfile } from "./trace_types.ts";
import { marksBetween } from "./waterfall/marks.ts";
import type { TraceModel } from "./waterfall/trace_model.ts";
import type { WaterfallProfile, WaterfallSpan } from "./waterfall_data.ts";
import { profileHref } from "../ui/links_profiles.ts";
import { type ProfilePart, profilePartParams } from "../profiles/profile_part.ts";

/** A profile that knows what a span did, and which of its samples do. */
export interface SpanProfile {
  readonly profile: WaterfallProfile;
  readonly part: Partial<ProfilePart>;
}

/** Those that tell where time went are looked at first. */
const TIMES: readonly LinkedProfile["kind"][] = ["wall", "cpu"];

/**
 * The profiles of a span, those of time first: with samples that name it, of it as a whole, or, where samples tell when
 * they were taken, of the transaction that it is a part of.
 *
 * @param index of a node; only spans have any
 */
export function spanProfiles(model: TraceModel, index: number): SpanProfile[] {
  const node = model.nodes[index];
  if (node?.kind !== "span" || node.span === null) return [];
  const found = new Map<string, SpanProfile>();
  for (let at = index; at >= 0; at = model.nodes[at]?.parent ?? -1) {
    for (const mark of marksBetween(model.marks, at, at + 1)) {
      if (mark.kind !== "profile") continue;
      const { profile } = mark;
      const part = partOf(profile, node.span, model.traceId, at === index);
      // Chunks that follow each other are joined by the page.
      const key = part?.profilerId ? `${part.profilerId} ${part.threadId}` : profile.profileId;
      if (part !== null && !found.has(key)) found.set(key, { profile, part });
    }
    // What is above a local root ran somewhere else.
    if (model.nodes[at]?.span?.isEntry) break;
  }
  const isOfTime = ({ profile }: SpanProfile) => Number(TIMES.includes(profile.kind));
  return [...found.values()].sort((a, b) => isOfTime(b) - isOfTime(a));
}

/** Of a profile's samples those that belong to a trace, or to the span that the profile is linked to. */
export function linkedPart(
  { isByLabel, clip, profilerId, threadId, spanId }: Omit<WaterfallProfile, "projectId">,
  traceId: string,
): Partial<ProfilePart> {
  if (isByLabel) return { traceId, spanId };
  return clip === null ? {} : { profilerId, threadId, from: clip.start, until: clip.end };
}

/** The page of a profile with a part of its samples; `below` it (`/embedded`) what its script asks for. */
export function partHref(
  { projectId, profileId }: Pick<WaterfallProfile, "projectId" | "profileId">,
  part: Partial<ProfilePart>,
  below = "",
): string {
  return profileHref(projectId, `${profileId}${below}`, profilePartParams(part));
}

function partOf(
  profile: WaterfallProfile,
  span: WaterfallSpan,
  traceId: string,
  isOwn: boolean,
): Partial<ProfilePart> | null {
  const overlaps = profile.time <= span.end && profile.time + profile.durationMs >= span.start;
  const time = { from: span.start, until: span.end };
  if (profile.clip !== null) {
    const { profilerId, threadId } = profile;
    return overlaps ? { profilerId, threadId, ...time } : null;
  }
  if (profile.source === "sentry_sample_v1" && !profile.isByLabel) return overlaps ? time : null;
  return isOwn ? linkedPart(profile, traceId) : null;
}
