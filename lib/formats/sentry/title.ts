import type { IssueMetadata } from "../../records/mod.ts";
import { clip, clippedName } from "../fields.ts";
import { TEXT } from "../limits.ts";
import { cspTitle } from "./csp.ts";
import { isInApp, isRuntime } from "./frames.ts";
import { relevantExceptions } from "./grouping_exceptions.ts";
import { askedOnce } from "./known_frames.ts";
import { type Exception, type Frame, isMessage, type NormalizedEvent } from "./normalized_event.ts";

const MAX_TYPE = 128;
const MAX_VALUE = 1_024;
/** Of a value, or a message, in a title. */
const MAX_LINE = 100;
const UNLABELED = "<unlabeled event>";

/** Native crashes have made-up types such as `SIGSEGV` in common; the function tells them apart. */
const NATIVE_PLATFORMS = new Set(["native", "c", "cocoa", "objc"]);
const SCRIPT_PLATFORMS = new Set(["javascript", "node"]);

/** The exception that names the issue; undefined for messages. */
export function mainException(event: NormalizedEvent): Exception | undefined {
  return isMessage(event) ? undefined : relevantExceptions(event)?.main;
}

const NAMELESS = new Set(["<redacted>", "<unknown>"]);

/**
 * Where it happened: the newest frame of the application that has a function's name, else the newest that is not the
 * runtime's or the SDK's.
 */
export function crashFrame(event: NormalizedEvent): Frame | undefined {
  const frames = (mainException(event)?.stacktrace ?? event.stacktrace)?.frames ?? [];
  return askedOnce(frames, `crash ${event.platform}`, () => crashFrameOf(frames, event));
}

function crashFrameOf(frames: readonly Frame[], event: NormalizedEvent): Frame | undefined {
  const isNamed = ({ function: name }: Frame) => name && !NAMELESS.has(name);
  return frames.findLast((frame) => isNamed(frame) && isInApp(frame, event.platform)) ??
    frames.findLast((frame) => !isRuntime(frame, event.platform)) ?? frames.at(-1);
}

/** What the issue list shows under the title. Nothing for messages, whose title says all. */
export function metadataOf(event: NormalizedEvent): IssueMetadata {
  const main = mainException(event);
  if (!main) return {};
  const frame = crashFrame(event);
  const type = isNativeCrash(main, event) ? undefined : clip(main.type, MAX_TYPE) ?? "Error";
  const value = clip(main.value, MAX_VALUE);
  return {
    ...(type && { type }),
    ...(value && { value }),
    ...(frame?.filename && { filename: frame.filename }),
    ...(frame?.function && { function: frame.function }),
  };
}

function isNativeCrash({ mechanism }: Exception, { platform }: NormalizedEvent): boolean {
  return mechanism?.synthetic === true && NATIVE_PLATFORMS.has(platform);
}

/**
 * The name of the issue, on one line: `type: first line of value` for an error, the first line of a message, the
 * function for a native crash.
 */
export function titleOf(event: NormalizedEvent): string {
  return clippedName(rawTitle(event), MAX_TYPE + MAX_LINE + 2) ?? UNLABELED;
}

function rawTitle(event: NormalizedEvent): string | undefined {
  if (mainException(event)) {
    const { type, value, function: name } = metadataOf(event);
    if (type === undefined) return name ?? "<unknown>";
    return value ? `${type}: ${firstLine(value)}` : type;
  }
  if (event.csp) return cspTitle(event.csp);
  return firstLine(event.logentry?.formatted ?? event.logentry?.message ?? "");
}

/** The first line that has anything in it, cut for a title. */
function firstLine(text: string): string {
  return clip(/\S[^\r\n]*/.exec(text)?.[0] ?? "", MAX_LINE);
}

/**
 * Where it happened, on one line: the transaction, else the function and its module or file, else the URL; `""`
 * when nothing is known.
 */
export function culpritOf(event: NormalizedEvent): string {
  const culprit = event.transaction ?? event.culprit ?? placeOf(event) ?? event.request?.url;
  return clippedName(culprit, TEXT.name) ?? "";
}

function placeOf(event: NormalizedEvent): string | undefined {
  if (isMessage(event)) return undefined;
  const frame = crashFrame(event);
  const place = frame?.module ?? frame?.filename;
  const name = frame?.function;
  if (NATIVE_PLATFORMS.has(event.platform)) return name;
  if (!place || !name) return name ?? place;
  return SCRIPT_PLATFORMS.has(event.platform) ? `${name}(${place})` : `${place} in ${name}`;
}
