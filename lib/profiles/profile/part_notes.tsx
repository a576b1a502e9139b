import { formatDuration, formatExact, formatQuantity } from "../../ui/format.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { queryHref } from "../../ui/links_profiles.ts";
import { shapeParams } from "../shape.ts";
import { shorterThanInterval } from "../interval_words.ts";
import { type LoadedProfile, partParams } from "./load_profile.ts";
import { isPartial, stretchOf, WHOLE } from "../profile_part.ts";

export interface PartNotesProps {
  readonly loaded: LoadedProfile;
  /** Of the page. */
  readonly path: string;
}

/** What of the profile the page shows, why there may be little in it, and what is wrong with the address. */
export function PartNotes({ loaded, path }: PartNotesProps) {
  const { read, errors, params } = loaded;
  const wrong = Object.entries(errors).filter(([name]) => !SHOWN_BESIDE.has(name));
  return (
    <>
      {wrong.length > 0 && (
        <Alert kind="warning" title="Parts of the address were left out" class="mb-3">
          <ul>
            {wrong.map(([name, sentence]) => <li key={name}>{`${name}: ${sentence}`}</li>)}
          </ul>
        </Alert>
      )}
      {isPartial(read.part) && (
        <div class="mb-3 rounded-lg border border-line bg-surface px-4 py-2.5 text-sm">
          <p>
            {partWords(loaded)}{" "}
            <a
              class="link"
              href={queryHref(path, [...partParams(loaded, WHOLE), ...shapeParams(params.shape)])}
            >
              Show the whole profile
            </a>
          </p>
          {shortWords(loaded) !== null && <p class="text-muted">{shortWords(loaded)}</p>}
        </div>
      )}
      {read.missing > 0 && read.pieces.length > 0 && (
        <Alert kind="warning" class="mb-3">
          {`${formatQuantity(read.missing, "chunk")} of this time could not be read, or were too ` +
            "many for one graph."}
        </Alert>
      )}
    </>
  );
}

/** The form of the shape says these itself. */
const SHOWN_BESIDE = new Set(["focus", "ignore", "by"]);

/** `12 of 3,000 samples: those of 120 ms of its profiler's chunks.` */
function partWords({ read, row }: LoadedProfile): string {
  const { part, samples, pieces } = read;
  const stretch = stretchOf(part);
  const what = [
    part.spanId !== null
      ? `span ${part.spanId}`
      : part.traceId !== null
      ? `trace ${part.traceId.slice(0, 8)}`
      : null,
    stretch === null ? null : `a stretch of ${formatDuration(stretch.until - stretch.from)}`,
    part.labels.length === 0 ? null : part.labels.map((pair) => pair.join("=")).join(", "),
  ].filter((word) => word !== null);
  const whole = pieces.length > 1
    ? `, out of ${pieces.length} chunks`
    : `, out of ${formatExact(row.samples)}`;
  const of = what.length === 0 ? "" : ` of ${what.join(" and ")}`;
  return `${formatQuantity(samples, "sample")}${of}${whole}.`;
}

/** Says why there are hardly any samples, where time between them is longer than what is looked at. */
function shortWords({ read }: LoadedProfile): string | null {
  const stretch = stretchOf(read.part);
  if (stretch === null || read.intervalMs === null) return null;
  const ms = stretch.until - stretch.from;
  return ms < read.intervalMs ? shorterThanInterval(ms, read.intervalMs) : null;
}
