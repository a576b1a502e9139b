import { asObject, type Raw } from "../fields.ts";

/** What an agent says of the values of its profile. */
export interface SampleTypeHints {
  /** What the profile tells of, or `""`: mutex and block profiles have the same types. */
  readonly kindHint: string;
  /** Null: it says nothing. False: values were counted since the process began. */
  readonly isDelta: boolean | null;
}

const NOTHING: SampleTypeHints = { kindHint: "", isDelta: null };
const KIND = /^(mutex|block|goroutine|exception|lock)/;

/** Reads `sample_type_config`, a JSON object by sample type; what is none says nothing. */
export function readSampleTypeConfig(text: string): SampleTypeHints {
  const types = Object.values(objectIn(text)).flatMap((type): Raw[] => {
    const object = asObject(type);
    return object === undefined ? [] : [object];
  });
  if (types.length === 0) return NOTHING;
  const kinds = types.flatMap((type) => KIND.exec(String(type["display-name"] ?? ""))?.[1] ?? []);
  return {
    kindHint: kinds[0] ?? "",
    isDelta: !types.some(({ cumulative }) => cumulative === true),
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}
