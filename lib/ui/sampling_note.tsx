import { formatCount, formatExact, formatPercent } from "./format.ts";
import { isSampled, type Sampled } from "../store/stats/extrapolate.ts";

export interface SamplingNoteProps {
  /** Share of traces that the project keeps. */
  readonly sampleRate: number;
  /** What the page counts; undefined where it counts nothing. */
  readonly sampled?: Sampled | undefined;
}

/** Tells that figures are extrapolated, and from how much; nothing where all is stored. */
export function SamplingNote({ sampleRate, sampled }: SamplingNoteProps) {
  const isExtrapolated = sampled !== undefined && isSampled(sampled);
  if (sampleRate >= 1 && !isExtrapolated) return null;
  return (
    <p class="mb-3 text-sm text-muted">
      {sampleRate < 1
        ? `This project keeps ${formatPercent(sampleRate)} of its traces. `
        : "Your services send a share of their traces. "}
      {isExtrapolated && (
        <span title={`${formatExact(sampled.count)} of about ${formatExact(sampled.weight)}`}>
          {`Stored are ${formatCount(sampled.count)} of about ${
            formatCount(Math.round(sampled.weight))
          }: `}
        </span>
      )}
      {isExtrapolated ? "counts" : "Counts"}
      , throughput and total times are extrapolated, durations and rates are those of what is
      stored.
    </p>
  );
}
