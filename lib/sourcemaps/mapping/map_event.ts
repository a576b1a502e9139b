/** Gives the frames of an event the places that people wrote; what could not be mapped says why. */
import type { Frame, NormalizedEvent, Stacktrace } from "../../formats/sentry/normalized_event.ts";
import type { JsonObject } from "../../formats/json.ts";
import {
  debugIdsOf,
  fileOf,
  type GeneratedFile,
  isNodeBuiltin,
  positionOf,
  sentStack,
  type StackHolder,
  stackHolders,
} from "./event_frames.ts";
import type { Place, Position } from "./look_up.ts";
import { MARKERS, type Problem, problem } from "./problems.ts";
import { ANONYMOUS } from "./scopes.ts";
import { isLibrary, moduleOf, sourceFile, sourceUrl } from "./source_names.ts";

/** Frames of one file that are looked up together. */
export interface FileQuery extends GeneratedFile {
  readonly positions: readonly Position[];
}

/** What is known of a file: of each position a place, or null where its map has none. */
export type FileAnswer =
  | { readonly problem: Problem }
  | {
    readonly mapUrl: string;
    readonly resolvedWith: "debug-id" | "release";
    readonly places: readonly (Place | null)[];
  };

/** Looks up frames: answers in the order of the questions. */
export type Lookup = (files: readonly FileQuery[]) => Promise<readonly FileAnswer[]>;

export interface MappedEvent {
  /** The event with what was found; the one that was given when no frame could have a map. */
  readonly event: NormalizedEvent;
  readonly mappedFrames: number;
  /** Files of frames that have no place, and why. */
  readonly unmapped: readonly { readonly file: GeneratedFile; readonly problem: Problem }[];
}

/** Maps an event without changing it: stacks that had been mapped before are mapped again from what the client sent. */
export async function mapEvent(event: NormalizedEvent, lookup: Lookup): Promise<MappedEvent> {
  const holders = stackHolders(event);
  const questions = new Questions(event);
  for (const holder of holders) {
    for (const frame of sentStack(holder)?.frames ?? []) questions.add(frame);
  }
  const { files } = questions;
  if (files.length === 0) return { event, mappedFrames: 0, unmapped: [] };
  const answers = await lookup(files);
  const found = (frame: Frame) => questions.answer(frame, answers);
  const stacks = new Map(holders.map((holder) => [holder, mappedHolder(holder, found, event)]));
  const unmapped = unmappedFiles(files, answers);
  const mapped = withStacks(event, stacks);
  return {
    event: { ...mapped, ...errorsOf(event, files, answers) },
    mappedFrames: answers.reduce(
      (sum, answer) =>
        sum + ("places" in answer ? answer.places.filter((place) => place !== null).length : 0),
      0,
    ),
    unmapped,
  };
}

/** What came of one frame. */
type Found = { readonly place: Place; readonly mapUrl: string; readonly resolvedWith: string } | {
  readonly problem: Problem;
};

/** Positions by file, each once. */
class Questions {
  readonly #files = new Map<string, { file: GeneratedFile; positions: Map<string, Position> }>();
  readonly #order = new Map<string, number>();
  readonly #debugIds: ReadonlyMap<string, string>;

  constructor(private readonly event: NormalizedEvent) {
    this.#debugIds = debugIdsOf(event);
  }

  get files(): FileQuery[] {
    return [...this.#files.values()].map(({ file, positions }) => ({
      ...file,
      positions: [...positions.values()],
    }));
  }

  add(frame: Frame): void {
    const file = fileOf(frame, this.event, this.#debugIds);
    if (file === null) return;
    const known = this.#files.get(file.path) ?? { file, positions: new Map() };
    this.#files.set(file.path, known);
    if (!this.#order.has(file.path)) this.#order.set(file.path, this.#order.size);
    const position = positionOf(frame);
    known.positions.set(`${position.line}:${position.column}`, position);
  }

  /** Null for a frame that there was no question about. */
  answer(frame: Frame, answers: readonly FileAnswer[]): Found | null {
    const file = fileOf(frame, this.event, this.#debugIds);
    if (file === null) return null;
    const answer = answers[this.#order.get(file.path) ?? -1];
    if (answer === undefined) return null;
    if ("problem" in answer) return answer;
    const { line, column } = positionOf(frame);
    const keys = [...this.#files.get(file.path)?.positions.keys() ?? []];
    const place = answer.places[keys.indexOf(`${line}:${column}`)] ?? null;
    if (place === null) return { problem: noPosition(frame) };
    return { place, mapUrl: answer.mapUrl, resolvedWith: answer.resolvedWith };
  }
}

function noPosition({ lineno, colno }: Frame): Problem {
  const at = colno ? `line ${lineno}, column ${colno}` : `line ${lineno}`;
  return problem(
    "no_position",
    `The source map has nothing for ${at}: it may belong to another build, or the file was changed after the build.`,
  );
}

function mappedHolder(
  holder: StackHolder,
  found: (frame: Frame) => Found | null,
  { platform }: NormalizedEvent,
): StackHolder {
  const sent = sentStack(holder);
  if (sent === undefined) return holder;
  let calls: string | null = null;
  let isMapped = false;
  const frames = sent.frames.map((frame) => {
    const result = found(frame);
    if (result === null) {
      calls = null;
      return isNodeBuiltin(frame, platform) ? { ...frame, in_app: false } : frame;
    }
    if ("problem" in result) {
      calls = null;
      return withData(frame, {
        symbolicated: false,
        unmapped: result.problem.kind,
        unmapped_reason: result.problem.sentence,
      });
    }
    isMapped = true;
    const mapped = mappedFrame(frame, result, calls);
    calls = result.place.name;
    return mapped;
  });
  const stacktrace: Stacktrace = { ...sent, frames };
  if (isMapped) return { ...holder, stacktrace, raw_stacktrace: sent };
  const { raw_stacktrace: _, ...rest } = holder;
  return { ...rest, stacktrace };
}

/** @param data in place of what an earlier mapping said */
function withData(frame: Frame, data: JsonObject): Frame {
  const { unmapped: _, unmapped_reason: __, symbolicated: ___, ...before } = frame.data ?? {};
  return { ...frame, data: { ...before, ...data } };
}

/** @param called what the caller says that it calls; null: unknown */
function mappedFrame(
  frame: Frame,
  { place, mapUrl, resolvedWith }: Exclude<Found, { problem: Problem }>,
  called: string | null,
): Frame {
  const { pre_context: _, context_line: __, post_context: ___, module: ____, ...rest } = frame;
  const source = place.source ?? "";
  const url = source === "" ? frame.abs_path : sourceUrl(mapUrl, source);
  const module = moduleOf(url ?? "");
  const name = functionName(frame, place, called);
  const isOurs = !isLibrary(source) && !place.isIgnored;
  return withData({
    ...rest,
    ...url === undefined ? {} : { abs_path: url },
    ...source === "" ? {} : { filename: sourceFile(source) },
    ...name === undefined ? {} : { function: name },
    ...module === null ? {} : { module },
    lineno: place.line,
    colno: place.column,
    in_app: isOurs && (frame.in_app ?? true),
    ...place.context === null ? {} : {
      pre_context: [...place.context.before],
      context_line: place.context.line,
      post_context: [...place.context.after],
    },
  }, {
    symbolicated: true,
    sourcemap: mapUrl,
    resolved_with: resolvedWith,
    ...place.isShifted ? { shifted: true } : {},
    ...place.context === null ? { missing_source: true } : {},
  });
}

const USELESS = new Set([ANONYMOUS, "__webpack_require__", "__webpack_modules__"]);

/** The scope's name; where that says nothing, what the caller calls, else what the browser said. */
function functionName(
  { function: sent }: Frame,
  { scope }: Place,
  called: string | null,
): string | undefined {
  if (scope !== undefined && !USELESS.has(scope)) return scope;
  if (called !== null && called !== "") return called;
  if (scope === undefined) {
    return sent !== undefined && sent.length > 2 && sent !== "?" ? sent : ANONYMOUS;
  }
  return sent ?? scope;
}

function withStacks(
  event: NormalizedEvent,
  stacks: ReadonlyMap<StackHolder, StackHolder>,
): NormalizedEvent {
  const of = <T extends StackHolder>(holder: T) => (stacks.get(holder) ?? holder) as T;
  const own = stacks.get(event as StackHolder);
  return {
    ...(own === undefined ? event : own as NormalizedEvent),
    ...event.exception && { exception: { values: event.exception.values.map(of) } },
    ...event.threads && { threads: { values: event.threads.values.map(of) } },
  };
}

function unmappedFiles(files: readonly FileQuery[], answers: readonly FileAnswer[]) {
  return files.flatMap(({ path, debugId }, index) => {
    const answer = answers[index];
    return answer !== undefined && "problem" in answer
      ? [{ file: { path, debugId }, problem: answer.problem }]
      : [];
  });
}

/** As many as people read. */
const MAX_ERRORS = 30;

/** Sentry's `errors` of an event, without those of an earlier mapping. */
function errorsOf(
  { errors: before = [] }: NormalizedEvent,
  files: readonly FileQuery[],
  answers: readonly FileAnswer[],
): Pick<NormalizedEvent, "errors"> {
  const others = before.filter(({ symbolicator_type: type }) => type === undefined);
  const own = files.flatMap(({ path, positions }, index): JsonObject[] => {
    const answer = answers[index];
    if (answer === undefined) return [];
    if ("problem" in answer) return marked(answer.problem, { url: path });
    return answer.places.flatMap((place, at) => {
      const { line = 0, column = 0 } = positions[at] ?? {};
      if (place === null) {
        const found = noPosition({ lineno: line + 1, colno: column + 1 });
        return marked(found, {
          url: path,
          sourcemap: answer.mapUrl,
          row: line + 1,
          column: column + 1,
        });
      }
      return place.context !== null ? [] : [{
        type: "js_missing_sources_content",
        symbolicator_type: "missing_source_content",
        url: path,
        source: place.source ?? "",
        message: "The source map has no text of this source.",
      }];
    });
  });
  const errors = [...others, ...own.slice(0, MAX_ERRORS)];
  return errors.length > 0 ? { errors } : before.length > 0 ? { errors: [] } : {};
}

function marked({ kind, sentence }: Problem, data: JsonObject): JsonObject[] {
  const marker = MARKERS[kind];
  if (marker === null) return [];
  return [{
    ...data,
    type: marker.type,
    symbolicator_type: marker.symbolicator,
    message: sentence,
  }];
}
