/** What source maps and ProGuard mappings did for an event, as its page tells it. */
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import {
  debugIdsOf,
  fileOf,
  mayNeedMaps,
  MISSING_MAPPING,
  problemWords,
  proguardIds,
  sentStack,
  stackHolders,
} from "../../sourcemaps/mod.ts";
import { asObject, asObjects, asText, type JsonObject } from "../../ui/json.ts";
import { message, t } from "../../core/language/translate.ts";

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

/** A ProGuard mapping that the event names. */
export interface NamedMapping {
  /** As people know it. */
  readonly uuid: string;
  /** Why it names nothing, one sentence; `""` when it was there. */
  readonly reason: string;
}

export interface SourceMapsView {
  readonly files: readonly MappedFile[];
  readonly mappings: readonly NamedMapping[];
  /** Frames of the JVM that have a name of the source now. */
  readonly named: number;
  /** There is a stack as it came beside the mapped one. */
  readonly hasMinified: boolean;
}

const NOT_LOOKED = message("No source maps had been uploaded to this project when the event came.");
const NOT_LOOKED_MAPPING = message(
  "It named nothing when the event came: no mapping had been uploaded to this project, or none of the classes is in it.",
);
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
      else known.reason ||= problemWords(asText(data?.unmapped_reason)) || t(NOT_LOOKED);
    }
  }
  const { mappings, named } = mappingsOf(event, holders);
  if (files.size === 0 && mappings.length === 0) return null;
  return {
    files: [...files.values()].slice(0, MAX_FILES),
    mappings,
    named,
    hasMinified: holders.some((holder) => holder.raw_stacktrace !== undefined),
  };
}

function mappingsOf(event: NormalizedEvent, holders: ReturnType<typeof stackHolders>) {
  const ids = proguardIds(event).slice(0, MAX_FILES).map(hyphenated);
  const named = ids.length === 0 ? 0 : holders.flatMap(({ stacktrace }) => stacktrace?.frames ?? [])
    .filter(({ data }) => data?.symbolicated === true && data.sourcemap === undefined).length;
  const reasons = new Map(
    (event.errors ?? []).filter(({ type }) => type === MISSING_MAPPING)
      .map(({ mapping_uuid: id, message }) => [asText(id), asText(message)]),
  );
  const wasLooked = reasons.size > 0 || named > 0 || holders.some((one) => one.raw_stacktrace);
  return {
    named,
    mappings: ids.map((uuid) => ({
      uuid,
      reason: problemWords(reasons.get(uuid) ?? (wasLooked ? "" : t(NOT_LOOKED_MAPPING))),
    })),
  };
}

function hyphenated(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The event with the stacks that its client sent in place of the mapped ones. */
export function asMinified(event: JsonObject): JsonObject {
  const swapped = (holder: JsonObject) => {
    const raw = asObject(holder.raw_stacktrace);
    const type = holder.raw_type === undefined
      ? {}
      : { type: holder.raw_type, module: holder.raw_module };
    return { ...holder, ...type, ...raw === null ? {} : { stacktrace: raw } };
  };
  const inValues = (value: unknown) => ({ values: asObjects(value).map(swapped) });
  return {
    ...swapped(event),
    ...event.exception === undefined ? {} : { exception: inValues(event.exception) },
    ...event.threads === undefined ? {} : { threads: inValues(event.threads) },
  };
}
