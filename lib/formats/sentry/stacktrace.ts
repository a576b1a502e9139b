import type { Frame, Stacktrace } from "./normalized_event.ts";
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
  repairFields,
  repairTexts,
  unsliced,
} from "../fields.ts";
import { COUNT, TEXT } from "../limits.ts";

/** A stack in Sentry's order, oldest call first, or undefined when it has no frame that says anything. */
export function normalizeStacktrace(value: unknown): Stacktrace | undefined {
  const stacktrace = asObject(value);
  if (!stacktrace) return undefined;
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

const TEXTS = [
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
const INTEGERS = ["lineno", "colno"];
const BOOLEANS = ["in_app"];
const BAGS = ["vars", "data"];
const SOURCE_LINES = ["pre_context", "post_context"];
const ADDRESSES = ["image_addr", "instruction_addr", "symbol_addr"];

/** Repairs one frame in place: a stack's, or a template's place in its source. */
export function normalizeFrame(raw: Raw): Frame {
  if (raw.function === "?") raw.function = undefined;
  repairTexts(raw, TEXTS);
  repairFields(raw, INTEGERS, readInteger);
  repairFields(raw, BOOLEANS, readBoolean);
  repairFields(raw, BAGS, asBag);
  repairFields(raw, SOURCE_LINES, readLines);
  repairFields(raw, ADDRESSES, readAddress);
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
