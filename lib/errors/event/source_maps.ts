/** What source maps did for an event, as its page tells it. */
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import { debugIdsOf, fileOf, mayNeedMaps, sentStack, stackHolders } from "../../sourcemaps/mod.ts";
import { asObject, asObjects, asText, type JsonObject } from "../../ui/json.ts";

/** Which form of a stack is shown. */
export type StackForm = "mapped" | "minified";

/** A generated file that frames of the event are in. */
export interface MappedFile {
  readonly path: string;
  /** As people know it, with hyphens; `""` for none. */
  readonly debugId: string;
  /** Frames that have a place in a source, of all that are in this file. */
  readonly mapped: number;
  readonly frames: number;
  /** Why others have none, one sentence; `""` when all have one. */
  readonly reason: string;
}

export interface SourceMapsView {
  readonly files: readonly MappedFile[];
  /** There is a stack as it came beside the mapped one. */
  readonly hasMinified: boolean;
}

const NOT_LOOKED = "No source maps had been uploaded to this project when the event came.";
const MAX_FILES = 50;

/** Null for events that no source map is for. */
export function sourceMapsOf(payload: JsonObject): SourceMapsView | null {
  const event = payload as unknown as NormalizedEvent;
  try {
    return mayNeedMaps(event) ? viewOf(event) : null;
  } catch {
    // Stored by an earlier version in another shape: there is nothing to tell.
    return null;
  }
}

function viewOf(event: NormalizedEvent): SourceMapsView | null {
  const debugIds = debugIdsOf(event);
  const files = new Map<string, { -readonly [K in keyof MappedFile]: MappedFile[K] }>();
  const holders = stackHolders(event);
  for (const holder of holders) {
    for (const [index, frame] of (sentStack(holder)?.frames ?? []).entries()) {
      const file = fileOf(frame, event, debugIds);
      if (file === null) continue;
      const known = files.get(file.path) ?? {
        path: file.path,
        debugId: hyphenated(file.debugId ?? ""),
        mapped: 0,
        frames: 0,
        reason: "",
      };
      files.set(file.path, known);
      known.frames++;
      const data = holder.stacktrace?.frames[index]?.data;
      if (data?.symbolicated === true) known.mapped++;
      else known.reason ||= asText(data?.unmapped_reason) || NOT_LOOKED;
    }
  }
  if (files.size === 0) return null;
  return {
    files: [...files.values()].slice(0, MAX_FILES),
    hasMinified: holders.some((holder) => holder.raw_stacktrace !== undefined),
  };
}

function hyphenated(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The event with the stacks that its client sent in place of the mapped ones. */
export function asMinified(event: JsonObject): JsonObject {
  const swapped = (holder: JsonObject) => {
    const raw = asObject(holder.raw_stacktrace);
    return raw === null ? holder : { ...holder, stacktrace: raw };
  };
  const inValues = (value: unknown) => ({ values: asObjects(value).map(swapped) });
  return {
    ...swapped(event),
    ...event.exception === undefined ? {} : { exception: inValues(event.exception) },
    ...event.threads === undefined ? {} : { threads: inValues(event.threads) },
  };
}
