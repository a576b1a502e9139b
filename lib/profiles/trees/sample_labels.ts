import type { PprofProfile } from "../../formats/pprof/profile.ts";

/** A label of a sample: a text, or a number with its unit or `""`. */
export type SampleLabel =
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
export function labelText(label: SampleLabel): string {
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
