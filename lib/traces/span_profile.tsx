import { t } from "../core/language/translate.ts";
import { profileHref } from "../ui/links.ts";
import type { EmbeddedProfile, LinkedProfile } from "../profiles/mod.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ProfilePart, profilePartParams } from "../profiles/profile_part.ts";
import { KIND_NAMES, shorterThanInterval, typeName } from "../profiles/words.ts";
import { Alert, PanelSection } from "../ui/components/panel.tsx";
import { SmallGraph } from "../ui/flamegraph/static_icicle.tsx";
import { formatCount, formatDuration } from "../ui/format.ts";
import type { WaterfallProfile, WaterfallSpan } from "./trace_types.ts";
import { marksBetween } from "./waterfall/marks.ts";
import type { TraceModel } from "./waterfall/trace_model.ts";

/** How far the reading of a span's profile has come; `none` when it has none, or nobody reads it. */
export type ProfileReading =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "failed" }
  | { readonly kind: "read"; readonly profile: EmbeddedProfile };

interface SpanProfileProps {
  /** All of the span; the first is the one that is read. */
  readonly profiles: readonly SpanProfile[];
  readonly reading: ProfileReading;
  /** How long the span took, in milliseconds. */
  readonly durationMs: number;
  readonly onRetry?: (() => void) | undefined;
}

const MAX_OTHERS = 5;

/** Where the time of a span went in code: the samples that a profile has of it. */
export function SpanProfilePanel(props: SpanProfileProps) {
  const { profiles: [first, ...others], reading, durationMs, onRetry } = props;
  if (first === undefined) return null;
  const href = partHref(first.profile, first.part);
  return (
    <PanelSection title={t("Profile")}>
      {reading.kind === "loading" && (
        <p class="text-muted" role="status">{t("Reading the profile…")}</p>
      )}
      {reading.kind === "failed" && (
        <Alert kind="warning" title={t("The profile could not be read")}>
          {onRetry && (
            <button type="button" class="link" onClick={onRetry}>{t("Try again")}</button>
          )}
        </Alert>
      )}
      {reading.kind === "read" && (
        <Samples profile={reading.profile} href={href} durationMs={durationMs} />
      )}
      <p class="mt-1.5 flex flex-wrap gap-x-3">
        <a class="link" href={href}>{t("Open the {kind} profile", { kind: nameOf(first) })}</a>
        {others.slice(0, MAX_OTHERS).map(({ profile, part }) => (
          <a
            key={profile.profileId}
            class="link"
            href={partHref(profile, part)}
          >
            {t("Open the {kind} profile", { kind: nameOf({ profile }) })}
          </a>
        ))}
      </p>
    </PanelSection>
  );
}

function Samples({ profile, href, durationMs }: {
  readonly profile: EmbeddedProfile;
  readonly href: string;
  readonly durationMs: number;
}) {
  const { data, samples, intervalMs } = profile;
  const isShort = intervalMs !== null && durationMs < intervalMs;
  return (
    <>
      <p class="mb-1 text-muted">
        {intervalMs === null
          ? t("{type}, {count} sample.|{type}, {count} samples.", {
            type: typeName(data.type),
            n: samples,
            count: formatCount(samples),
          })
          : t(
            "{type}, {count} sample, one every {interval}.|{type}, {count} samples, one every {interval}.",
            {
              type: typeName(data.type),
              n: samples,
              count: formatCount(samples),
              interval: formatDuration(intervalMs),
            },
          )}
      </p>
      {isShort && <p class="mb-1 text-muted">{shorterThanInterval(durationMs, intervalMs)}</p>}
      {samples === 0
        ? !isShort && (
          <p class="text-muted">
            {t("No sample was taken in it: it waited, or its thread was another one.")}
          </p>
        )
        : <SmallGraph data={data} title={t("Where the time of the span went")} href={href} />}
    </>
  );
}

function nameOf({ profile }: Pick<SpanProfile, "profile">): string {
  const kind = t(KIND_NAMES[profile.kind]);
  return kind === "CPU" ? kind : kind.toLowerCase();
}

/** A profile that knows what a span did, and which of its samples do. */
interface SpanProfile {
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

/**
 * Reads the profile of the open span, each once. Browser only.
 *
 * @param first the one to read, or null
 * @returns how far it has come, and a function that tries again
 */
export function useSpanProfile(
  first: SpanProfile | null,
): [reading: ProfileReading, retry: () => void] {
  const read = useRef(new Map<string, EmbeddedProfile>());
  const [failedHref, setFailedHref] = useState<string | null>(null);
  const [, setRound] = useState(0);
  const href = first && partHref(first.profile, first.part, "/embedded");
  const profile = href === null ? undefined : read.current.get(href);

  useEffect(() => {
    if (href === null || read.current.has(href) || failedHref === href) return;
    const asking = new AbortController();
    loadProfile(href, asking.signal).then(
      (profile) => {
        read.current.set(href, profile);
        setRound((round) => round + 1);
      },
      () => {
        if (!asking.signal.aborted) setFailedHref(href);
      },
    );
    return () => asking.abort();
  }, [href, failedHref]);

  const retry = () => setFailedHref(null);
  if (href === null) return [{ kind: "none" }, retry];
  if (profile) return [{ kind: "read", profile }, retry];
  return [{ kind: failedHref === href ? "failed" : "loading" }, retry];
}

async function loadProfile(href: string, signal: AbortSignal): Promise<EmbeddedProfile> {
  const response = await fetch(href, { signal });
  // Somebody whose session has ended is sent to the sign-in page, which is no JSON.
  if (!response.ok || response.redirected) throw new Error(`Cannot read ${href}`);
  return await response.json() as EmbeddedProfile;
}
