import {
  asBag,
  asObject,
  clip,
  clippedText,
  isEmpty,
  type Raw,
  readBoolean,
  readInteger,
  readText,
  readTextOrJson,
  readValues,
  repairFields,
  repairTexts,
  unsliced,
} from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";
import { knownFrames } from "./known_frames.ts";
import type {
  Exception,
  Frame,
  Mechanism,
  Stacktrace,
  Thread,
  Values,
} from "./normalized_event.ts";

/** Exceptions, cause first, or undefined when none says anything. */
export function normalizeExceptions(value: unknown): Values<Exception> | undefined {
  const values = readValues(value).slice(-COUNT.exceptions)
    .map(normalizeException)
    .filter((exception) => exception !== undefined);
  return values.length > 0 ? { values } : undefined;
}

function normalizeException(raw: Raw): Exception | undefined {
  repairTexts(raw, [["type", TEXT.path], ["module", TEXT.path], ["thread_id", TEXT.word]]);
  repairFields(raw, ["value"], (value) => clip(readTextOrJson(value), TEXT.message) || undefined);
  repairFields(raw, ["stacktrace", "raw_stacktrace"], normalizeStacktrace);
  repairFields(raw, ["mechanism"], normalizeMechanism);
  const exception = raw as Exception;
  if (!exception.mechanism?.synthetic) splitTypeOffValue(exception);
  return exception.type || exception.value || exception.stacktrace ? exception : undefined;
}

const TYPE_AND_VALUE = /^(\w{1,128}):\s+(\S[^]*)$/;

/** Some clients send `ValueError: no such thing` as the value and no type. */
function splitTypeOffValue(exception: Exception): void {
  if (exception.type !== undefined || exception.value === undefined) return;
  const [, type, value] = TYPE_AND_VALUE.exec(exception.value) ?? [];
  if (type && value) Object.assign(exception, { type: unsliced(type), value: unsliced(value) });
}

function normalizeMechanism(value: unknown): Mechanism | undefined {
  const raw = asObject(value) ?? (typeof value === "string" ? { type: value } : undefined);
  if (!raw) return undefined;
  raw.type = clippedText(raw.type, TEXT.path) ?? "generic";
  repairFields(raw, ["handled", "synthetic", "is_exception_group"], readBoolean);
  repairFields(raw, ["exception_id", "parent_id"], readInteger);
  repairTexts(raw, [
    ["description", TEXT.message],
    ["help_link", TEXT.url],
    ["source", TEXT.path],
  ]);
  repairFields(raw, ["data", "meta"], asBag);
  moveLegacyMeta(raw);
  return raw as unknown as Mechanism;
}

/** Older native SDKs put these beside `meta` instead of into it. */
const LEGACY_META = { posix_signal: "signal", mach_exception: "mach_exception", errno: "errno" };

function moveLegacyMeta(raw: Raw): void {
  for (const [from, to] of Object.entries(LEGACY_META)) {
    const value = raw[from];
    if (value === undefined || value === null) continue;
    raw.meta = {
      [to]: typeof value === "number" ? { number: value } : value,
      ...asObject(raw.meta),
    };
    raw[from] = undefined;
  }
}

/** The threads of the process, or undefined when there are none. */
export function normalizeThreads(value: unknown): Values<Thread> | undefined {
  const values = readValues(value).slice(0, COUNT.threads).map(normalizeThread);
  return values.length > 0 ? { values } : undefined;
}

function normalizeThread(raw: Raw): Thread {
  repairTexts(raw, [["id", TEXT.word], ["name", TEXT.name], ["state", TEXT.word]]);
  repairFields(raw, ["crashed", "current", "main"], readBoolean);
  repairFields(raw, ["stacktrace", "raw_stacktrace"], normalizeStacktrace);
  return raw as Thread;
}

/** A stack in Sentry's order, oldest call first, or undefined when it has no frame that says anything. */
export function normalizeStacktrace(value: unknown): Stacktrace | undefined {
  const stacktrace = asObject(value);
  if (!stacktrace) return undefined;
  if (knownFrames(stacktrace.frames) !== undefined) return withKnownFrames(stacktrace);
  const sent = Array.isArray(stacktrace.frames) ? stacktrace.frames : [stacktrace.frames];
  const { frames, omitted } = withoutMiddle(sent.filter(isFilled));
  if (frames.length === 0) return undefined;
  stacktrace.frames = frames;
  stacktrace.frames_omitted = omitted;
  repairFields(stacktrace, ["registers"], asBag);
  frames.forEach(normalizeFrame);
  dropMiddleDetails(frames);
  return stacktrace as unknown as Stacktrace;
}

/** Its frames were normalised when they came first. */
function withKnownFrames(stacktrace: Raw): Stacktrace {
  stacktrace.frames_omitted = undefined;
  repairFields(stacktrace, ["registers"], asBag);
  return stacktrace as unknown as Stacktrace;
}

function isFilled(value: unknown): value is Raw {
  const object = asObject(value);
  return object !== undefined && !isEmpty(object);
}

function withoutMiddle(frames: Raw[]): { frames: Raw[]; omitted?: [number, number] } {
  if (frames.length <= COUNT.frames) return { frames };
  const end = frames.length - COUNT.newestFrames;
  return {
    frames: [...frames.slice(0, COUNT.oldestFrames), ...frames.slice(end)],
    omitted: [COUNT.oldestFrames, end],
  };
}

const DETAILS = ["vars", "pre_context", "post_context"];

/** In a deep stack, both ends tell the story: the middle keeps its place, not its source and variables. */
function dropMiddleDetails(frames: Raw[]): void {
  const end = frames.length - COUNT.detailedFramesPerEnd;
  for (let i = COUNT.detailedFramesPerEnd; i < end; i++) {
    const frame = frames[i];
    if (frame) repairFields(frame, DETAILS, () => undefined);
  }
}

const FRAME_TEXTS = [
  ["function", TEXT.line],
  ["raw_function", TEXT.line],
  ["symbol", TEXT.line],
  ["module", TEXT.path],
  ["package", TEXT.path],
  ["filename", TEXT.path],
  ["abs_path", TEXT.url],
  ["context_line", TEXT.line],
  ["platform", TEXT.word],
] as const;

/** Repairs one frame in place: a stack's, or a template's place in its source. */
export function normalizeFrame(raw: Raw): Frame {
  if (raw.function === "?") raw.function = undefined;
  repairTexts(raw, FRAME_TEXTS);
  repairFields(raw, ["lineno", "colno"], readInteger);
  repairFields(raw, ["in_app"], readBoolean);
  repairFields(raw, ["vars", "data"], asBag);
  repairFields(raw, ["pre_context", "post_context"], readLines);
  repairFields(raw, ["image_addr", "instruction_addr", "symbol_addr"], readAddress);
  fillPaths(raw as Frame);
  return raw as Frame;
}

/** Lines of source; a missing line still takes its place so that the numbering holds. */
function readLines(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const lines = value.length > COUNT.contextLines ? value.slice(0, COUNT.contextLines) : value;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (typeof line !== "string" || line.length > TEXT.line) {
      lines[i] = clip(readText(line), TEXT.line) ?? "";
    }
  }
  return lines;
}

function readAddress(value: unknown): string | undefined {
  return typeof value === "number" && value >= 0
    ? `0x${value.toString(16)}`
    : clippedText(value, TEXT.word);
}

const URL_PATH = /^[a-z][a-z0-9+.-]{1,30}:\/\/[^/?#]*([^?#]*)/i;

/** Each of `filename` and `abs_path` helps the other out; where the source is a URL, the file name is its path. */
function fillPaths(frame: Frame): void {
  const path = frame.abs_path ?? frame.filename;
  if (path === undefined) return;
  if (path.includes("://") && (frame.filename === undefined || frame.filename === path)) {
    frame.abs_path = path;
    frame.filename = clip(unsliced(URL_PATH.exec(path)?.[1] || path), TEXT.path);
  } else {
    frame.filename ??= clip(path, TEXT.path);
  }
}
