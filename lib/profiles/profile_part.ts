import { t } from "../core/language/translate.ts";
import { type Params, paramsOf } from "../ui/links.ts";
import type { SampleFilter } from "./trees/sample_filter.ts";
import type { LabelPair, ProfilingParams } from "./params.ts";

/** Which samples are looked at, of one profile or of the chunks of a continuous profiler. Null: all. */
export interface ProfilePart {
  /** Of a continuous profiler: its chunks are joined as far as the time reaches. 32 hex digits. */
  readonly profilerId: string | null;
  /** Id of a thread; {@linkcode ALL_THREADS} for all where one would be chosen. */
  readonly threadId: string | null;
  /** 32 lower-case hex digits. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits. */
  readonly spanId: string | null;
  /** Milliseconds since 1970; the first is included and the last not. */
  readonly from: number | null;
  readonly until: number | null;
  readonly labels: readonly LabelPair[];
}

export const WHOLE: ProfilePart = {
  profilerId: null,
  threadId: null,
  traceId: null,
  spanId: null,
  from: null,
  until: null,
  labels: [],
};

/** Stands for every thread, where otherwise the one is chosen that the profile was taken for. */
export const ALL_THREADS = "all";

/** Times outside of these years are typing errors. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/**
 * Reads which part an address asks for: what `params` say, and `from` and `until`, in milliseconds since 1970 or as
 * ISO 8601. (`start` and `end` are the scope of the pages around, in whole seconds.) Times the wrong way round are
 * swapped.
 *
 * @returns with it what is wrong, in a sentence, by the name of the parameter; what is wrong is left out
 */
export function readProfilePart(
  params: ProfilingParams,
  query: URLSearchParams,
): { readonly part: ProfilePart; readonly errors: Readonly<Record<string, string>> } {
  const errors: Record<string, string> = {};
  const time = (name: "from" | "until") => {
    const text = (query.get(name) ?? "").trim();
    const time = text === "" ? null : timeIn(text);
    if (text !== "" && time === null) {
      errors[name] = t(
        "“{text}” is no time: it is written in milliseconds since 1970, or like 2026-11-21T17:30:00.250Z.",
        { text: text.slice(0, 60) },
      );
    }
    return time;
  };
  const [from, until] = [time("from"), time("until")];
  const isSwapped = from !== null && until !== null && from > until;
  const { profilerId, threadId, traceId, spanId, labels } = params;
  return {
    part: {
      profilerId,
      threadId,
      traceId,
      spanId,
      labels,
      from: isSwapped ? until : from,
      until: isSwapped ? from : until,
    },
    errors,
  };
}

/** A part as the parameters of an address. */
export function profilePartParams(part: Partial<ProfilePart>): Params {
  return paramsOf({
    label: part.labels?.map((pair) => pair.join("=")),
    trace: part.traceId,
    span: part.spanId,
    profiler: part.profilerId,
    thread: part.threadId,
    from: timeText(part.from),
    until: timeText(part.until),
  });
}

/** Whether a part leaves anything out, but for threads. */
export function isPartial({ profilerId, traceId, spanId, from, until, labels }: ProfilePart) {
  return labels.length > 0 ||
    [profilerId, traceId, spanId, from, until].some((value) => value !== null);
}

/** Both ends of the time of a part, or null when it has not both. */
export function stretchOf({ from, until }: ProfilePart): { from: number; until: number } | null {
  return from === null || until === null ? null : { from, until };
}

/** The samples of a part. */
export function sampleFilterOf(part: ProfilePart): SampleFilter {
  const { threadId, traceId, spanId, from, until, labels } = part;
  return {
    labels,
    threadId: threadId === ALL_THREADS ? undefined : threadId ?? undefined,
    traceId: traceId ?? undefined,
    spanId: spanId ?? undefined,
    fromNanos: from === null ? undefined : nanosOf(from),
    untilNanos: until === null ? undefined : nanosOf(until),
  };
}

/** Nanoseconds since 1970 of milliseconds. */
export function nanosOf(ms: number): bigint {
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}

function timeIn(text: string): number | null {
  const time = /^\d{10,13}(?:\.\d{1,9})?$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\d/.test(text)
    ? Date.parse(text)
    : NaN;
  return time >= EARLIEST_MS && time < LATEST_MS ? time : null;
}

function timeText(time: number | null | undefined): string | null {
  return time === null || time === undefined ? null : String(Math.round(time * 1_000) / 1_000);
}
