import { spanIdOf, traceIdOf, traceLabelOf } from "../../formats/pprof/labels.ts";
import type { PprofProfile } from "../../formats/pprof/profile.ts";

/** Which samples of a profile are looked at: those of which all holds that is named. */
export interface SampleFilter {
  /**
   * Values of labels, numbers as decimal text; of a key that is named twice any value will do. A key that no sample of
   * the profile has is not looked at: it is one of the whole profile, by which profiles are chosen.
   */
  readonly labels?: readonly (readonly [key: string, value: string])[] | undefined;
  /** 32 lower-case hex digits. */
  readonly traceId?: string | undefined;
  /** 16 lower-case hex digits. */
  readonly spanId?: string | undefined;
  readonly threadId?: string | undefined;
  /**
   * Nanoseconds since 1970, the first included and the last not. Samples that do not tell their time are in it when
   * any of the profile is.
   */
  readonly fromNanos?: bigint | undefined;
  readonly untilNanos?: bigint | undefined;
}

type Test = (sample: number) => boolean;

/** Whether a sample of a profile is one that a filter lets through. */
export function sampleMatcher(
  profile: PprofProfile,
  filter: SampleFilter,
): (sample: number) => boolean {
  const tests = [
    ...labelTests(profile, filter.labels ?? []),
    ...idTests(profile, filter),
    ...timeTests(profile, filter),
  ];
  return (sample) => tests.every((test) => test(sample));
}

function labelTests(
  profile: PprofProfile,
  wanted: readonly (readonly [string, string])[],
): Test[] {
  const present = new Set(
    [...new Set(profile.samples.labels.keys)].map((key) => profile.strings[key]),
  );
  const byKey = Map.groupBy(wanted, ([key]) => key);
  return [...byKey].filter(([key]) => present.has(key)).map(([key, pairs]) => {
    const values = new Set(pairs.map(([, value]) => value));
    return hasLabel(profile, (label) => label.key === key && values.has(labelText(label)));
  });
}

function idTests(profile: PprofProfile, { traceId, spanId, threadId }: SampleFilter): Test[] {
  const tests: Test[] = [];
  if (traceId !== undefined) {
    tests.push(hasLabel(profile, (label) =>
      traceLabelOf(label.key) === "trace_id" &&
      traceIdOf("text" in label ? label.text : label.number) === traceId));
  }
  if (spanId !== undefined) {
    tests.push(hasLabel(profile, (label) => {
      const kind = traceLabelOf(label.key);
      return (kind === "span_id" || kind === "profile_id") &&
        spanIdOf("text" in label ? label.text : label.number) === spanId;
    }));
  }
  if (threadId !== undefined) {
    tests.push(
      hasLabel(profile, (label) => isKey(label.key, "thread_id") && labelText(label) === threadId),
    );
  }
  return tests;
}

function timeTests(profile: PprofProfile, { fromNanos, untilNanos }: SampleFilter): Test[] {
  if (fromNanos === undefined && untilNanos === undefined) return [];
  const { timeNanos, durationNanos } = profile;
  const isWithin = (start: bigint, end: bigint) =>
    (fromNanos === undefined || end >= fromNanos) &&
    (untilNanos === undefined || start < untilNanos);
  const isProfileWithin = isWithin(timeNanos, timeNanos + durationNanos);
  return [(sample) => {
    const offset = offsetOf(profile, sample);
    if (offset === null) return isProfileWithin;
    return isWithin(timeNanos + offset, timeNanos + offset);
  }];
}

function hasLabel(profile: PprofProfile, isMatch: (label: SampleLabel) => boolean): Test {
  return (sample) => {
    for (const label of labelsOf(profile, sample)) if (isMatch(label)) return true;
    return false;
  };
}

/** A label of a sample: a text, or a number with its unit or `""`. */
type SampleLabel =
  | { readonly key: string; readonly text: string }
  | { readonly key: string; readonly number: bigint; readonly unit: string };

/** Labels of one sample, in the order of the profile. */
export function* labelsOf(
  { samples: { labels }, strings }: PprofProfile,
  sample: number,
): Iterable<SampleLabel> {
  const end = labels.starts[sample + 1] ?? 0;
  for (let at = labels.starts[sample] ?? 0; at < end; at++) {
    const key = strings[labels.keys[at] as number] ?? "";
    const text = labels.texts[at] as number;
    const unit = strings[labels.units[at] as number] ?? "";
    if (text !== 0) yield { key, text: strings[text] as string };
    else yield { key, number: labels.numbers[at] as bigint, unit };
  }
}

/** The value of a label as text; numbers are decimal. */
function labelText(label: SampleLabel): string {
  return "text" in label ? label.text : String(label.number);
}

/** Nanoseconds from the beginning of the profile to a sample; null where it does not say. */
export function offsetOf(profile: PprofProfile, sample: number): bigint | null {
  for (const label of labelsOf(profile, sample)) {
    if (label.key === "offset" && "number" in label && label.unit === "nanoseconds") {
      return label.number;
    }
  }
  return null;
}

/** Whether a key is another in small letters with underscores, as `thread id` and `Thread-Id` are `thread_id`. */
export function isKey(key: string, name: string): boolean {
  return key === name || key.toLowerCase().replace(/[\s.-]+/g, "_") === name;
}
