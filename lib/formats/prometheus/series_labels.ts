import type { Label } from "../../records/mod.ts";
import type { Fault } from "../metrics/faults.ts";
import type { LabelBook, Labels } from "../metrics/label_book.ts";
import { LIMITS } from "../metrics/limits.ts";
import { clippedName } from "../fields.ts";
import { TEXT } from "../limits.ts";

/** What a series is, without its type. */
export interface SeriesIdentity {
  /** `__name__`. */
  readonly name: string;
  /** `""` when unknown. */
  readonly release: string;
  readonly labels: Labels;
}

/** Prometheus' own labels of a series, and the name. */
const OWN = 20;
/** No series has more. */
const MAX_LABELS = LIMITS.labels + OWN;

/** Why a series of so many labels is not even looked at, or null. */
export function countFault(count: number): Fault | null {
  return count > MAX_LABELS ? "too_many_labels" : null;
}

/**
 * Makes the identity of a series: `service` is its own label or `job`, `environment` its own or `env`, `release` its
 * own or `version`, which of `…_info` is that of something else. Labels that begin with two underscores are
 * Prometheus' own.
 *
 * @param labels of the book, scrubbed; of a repeated name the last holds
 * @returns why it can be none
 */
export function seriesIdentity(
  labels: readonly Label[],
  book: LabelBook,
): SeriesIdentity | Fault {
  const fault = countFault(labels.length);
  if (fault !== null) return fault;
  const byName = new Map(labels.map((label) => [label[0], label]));
  const name = byName.get("__name__")?.[1] ?? "";
  if (name.trim() === "") return "no_name";
  if (name.length > LIMITS.name) return "name_too_long";
  const first = (limit: number, ...keys: readonly string[]) => {
    const key = keys.find((each) => byName.has(each)) ?? "";
    return clippedName(byName.get(key)?.[1], limit) ?? "";
  };
  const three: readonly Label[] = [
    ["service", first(TEXT.name, "service", "job")],
    ["environment", first(TEXT.word, "environment", "env")],
    ["release", first(TEXT.name, "release", ...name.endsWith("_info") ? [] : ["version"])],
  ];
  for (const [key, value] of three) if (value !== "") byName.set(key, book.label(key, value));
  const list = book.listOf([...byName.values()].filter(([key]) => !key.startsWith("__")));
  return typeof list === "string" ? list : { name, release: three[2]?.[1] ?? "", labels: list };
}
