import { isInApp } from "../formats/sentry/in_app.ts";
import type { Frame, Stacktrace } from "../formats/sentry/normalized_event.ts";

/** A stack as Sentry's API shows it; null stays null. @param platform of the event */
export function stacktraceJson(stacktrace: Stacktrace | undefined, platform: string) {
  if (stacktrace === undefined) return null;
  return {
    frames: stacktrace.frames.map((frame) => frameJson(frame, platform)),
    framesOmitted: stacktrace.frames_omitted ?? null,
    registers: stacktrace.registers ?? null,
    hasSystemFrames: hasSystemFrames(stacktrace, platform),
  };
}

/** Whether there are frames both of the application and of others, so that hiding some makes sense. */
export function hasSystemFrames(stacktrace: Stacktrace | undefined, platform: string): boolean {
  const own = new Set(stacktrace?.frames.map((frame) => isInApp(frame, platform)));
  return own.size > 1;
}

function frameJson(frame: Frame, platform: string) {
  return {
    filename: frame.filename ?? null,
    absPath: frame.abs_path ?? null,
    module: frame.module ?? null,
    package: frame.package ?? null,
    platform: frame.platform ?? null,
    instructionAddr: frame.instruction_addr ?? null,
    symbolAddr: null,
    function: frame.function ?? null,
    rawFunction: frame.raw_function ?? null,
    symbol: frame.symbol ?? null,
    context: sourceLines(frame),
    lineNo: frame.lineno ?? null,
    colNo: frame.colno ?? null,
    inApp: isInApp(frame, platform),
    trust: null,
    errors: null,
    vars: frame.vars ?? null,
  };
}

/** The source around a frame, each line with its number. */
function sourceLines(
  { lineno, pre_context = [], context_line, post_context = [] }: Frame,
): [number, string][] {
  if (lineno === undefined || context_line === undefined) return [];
  const first = lineno - pre_context.length;
  return [...pre_context, context_line, ...post_context].map((line, i) => [first + i, line]);
}
