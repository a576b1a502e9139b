import type { SearchText } from "../../records/mod.ts";
import type { Frame, NormalizedEvent, Stacktrace } from "./normalized_event.ts";

/** Of a value or a part of a frame. */
const MAX_LENGTH = 400;
const MAX_PART_LENGTH = 200;
/** The innermost frames of a stack; distinct texts of an event. */
const MAX_FRAMES = 60;
const MAX_TEXTS = 150;

/** What the stacks and messages of an event say, for the search within them: distinct texts in lower case. */
export function searchTexts(event: NormalizedEvent): SearchText[] {
  const texts = new Map<string, SearchText>();
  for (const [kind, text] of textsOf(event)) {
    if (texts.size >= MAX_TEXTS) break;
    if (text !== "") texts.set(`${kind}${text}`, { kind, text });
  }
  return [...texts.values()];
}

function* textsOf(event: NormalizedEvent): Generator<[kind: SearchText["kind"], text: string]> {
  const exceptions = event.exception?.values ?? [];
  for (const { value } of exceptions) yield [0, clipped(value, MAX_LENGTH)];
  yield [0, clipped(event.logentry?.formatted ?? event.logentry?.message, MAX_LENGTH)];
  const crashed = event.threads?.values.filter((thread) => thread.crashed || thread.current) ?? [];
  for (const { stacktrace } of [...exceptions, event, ...crashed]) yield* framesOf(stacktrace);
}

function* framesOf(
  stacktrace: Stacktrace | undefined,
): Generator<[kind: SearchText["kind"], text: string]> {
  for (const frame of stacktrace?.frames.slice(-MAX_FRAMES) ?? []) {
    const line = lineOf(frame);
    if (line !== "\n\n\n\n") yield [1, line];
    if (frame.in_app && frame.lineno !== undefined) yield [2, String(frame.lineno)];
  }
}

/** In the order of `STACK_FIELDS`. */
function lineOf({ function: name, filename, module, abs_path, package: file }: Frame): string {
  return `${part(name)}\n${part(filename)}\n${part(module)}\n${part(abs_path)}\n${part(file)}`;
}

function part(text: string | undefined): string {
  if (text === undefined) return "";
  const short = clipped(text, MAX_PART_LENGTH);
  return short.includes("\n") ? short.replaceAll("\n", " ") : short;
}

function clipped(text: string | undefined, length: number): string {
  if (text === undefined) return "";
  return (text.length > length ? text.slice(0, length).toWellFormed() : text).toLowerCase();
}
