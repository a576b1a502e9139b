import type { SearchTexts } from "../../records/mod.ts";
import { askedOnce } from "./known_frames.ts";
import type { Frame, NormalizedEvent, Stacktrace } from "./normalized_event.ts";

/** Of a value or a part of a frame. */
const MAX_LENGTH = 400;
const MAX_PART_LENGTH = 200;
/** The innermost frames of a stack; stacks and values of an event. */
const MAX_FRAMES = 60;
const MAX_TEXTS = 12;

/**
 * What the values and the stacks of an event say, for the search within them. The texts of a stack stay together: most
 * stacks came before, and the writer knows them as a whole.
 */
export function searchTexts(event: NormalizedEvent): SearchTexts[] {
  const texts = new Set<string>();
  for (const text of textsOf(event)) {
    if (texts.size >= MAX_TEXTS) break;
    if (text.length > 1) texts.add(text);
  }
  return [...texts];
}

function* textsOf(event: NormalizedEvent): Generator<SearchTexts> {
  const exceptions = event.exception?.values ?? [];
  const crashed = event.threads?.values.filter((thread) => thread.crashed || thread.current) ?? [];
  for (const { value, stacktrace } of exceptions) {
    yield valueText(value);
    yield stackTexts(stacktrace);
  }
  yield valueText(event.logentry?.formatted ?? event.logentry?.message);
  for (const { stacktrace } of [event, ...crashed]) yield stackTexts(stacktrace);
}

function valueText(value: string | undefined): SearchTexts {
  return `0${clipped(value, MAX_LENGTH)}`.toLowerCase();
}

function stackTexts(stacktrace: Stacktrace | undefined): SearchTexts {
  return askedOnce(stacktrace?.frames, "texts", () => textsIn(stacktrace).toLowerCase());
}

function textsIn(stacktrace: Stacktrace | undefined): SearchTexts {
  let texts = "";
  for (const frame of stacktrace?.frames.slice(-MAX_FRAMES) ?? []) {
    const line = lineOf(frame);
    if (line !== "\n\n\n\n") texts += `${texts === "" ? "" : "\0"}1${line}`;
    if (frame.in_app && frame.lineno !== undefined) {
      texts += `${texts === "" ? "" : "\0"}2${frame.lineno}`;
    }
  }
  return texts;
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
  return text.length > length ? text.slice(0, length).toWellFormed() : text;
}
