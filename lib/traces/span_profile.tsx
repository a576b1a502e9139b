import { Alert } from "../ui/components/alert.tsx";
import { formatDuration, formatQuantity } from "../ui/format.ts";
import { PanelSection } from "../ui/panel_section.tsx";
import { shorterThanInterval } from "../profiles/interval_words.ts";
import { KIND_NAMES, typeName } from "../profiles/words.ts";
import type { EmbeddedProfile } from "../profiles/profile/load_embedded.ts";
import { SmallGraph } from "../ui/flamegraph/small_graph.tsx";
import { partHref, type SpanProfile } from "./span_profiles.ts";

/** How far the reading of a span's profile has come; `none` when it has none, or nobody reads it. */
export type ProfileReading =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "failed" }
  | { readonly kind: "read"; readonly profile: EmbeddedProfile };

export interface SpanProfileProps {
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
    <PanelSection title="Profile">
      {reading.kind === "loading" && <p class="text-muted" role="status">Reading the profile…</p>}
      {reading.kind === "failed" && (
        <Alert kind="warning" title="The profile could not be read">
          {onRetry && <button type="button" class="link" onClick={onRetry}>Try again</button>}
        </Alert>
      )}
      {reading.kind === "read" && (
        <Samples profile={reading.profile} href={href} durationMs={durationMs} />
      )}
      <p class="mt-1.5 flex flex-wrap gap-x-3">
        <a class="link" href={href}>{`Open the ${nameOf(first)} profile`}</a>
        {others.slice(0, MAX_OTHERS).map(({ profile, part }) => (
          <a
            key={profile.profileId}
            class="link"
            href={partHref(profile, part)}
          >
            {`Open the ${nameOf({ profile })} profile`}
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
        {`${typeName(data.type)}, ${formatQuantity(samples, "sample")}`}
        {intervalMs !== null && `, one every ${formatDuration(intervalMs)}`}.
      </p>
      {isShort && <p class="mb-1 text-muted">{shorterThanInterval(durationMs, intervalMs)}</p>}
      {samples === 0
        ? !isShort && (
          <p class="text-muted">
            No sample was taken in it: it waited, or its thread was another one.
          </p>
        )
        : <SmallGraph data={data} title="Where the time of the span went" href={href} />}
    </>
  );
}

function nameOf({ profile }: Pick<SpanProfile, "profile">): string {
  const kind = KIND_NAMES[profile.kind];
  return kind === "CPU" ? kind : kind.toLowerCase();
}
