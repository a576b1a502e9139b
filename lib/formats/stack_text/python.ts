import type { Frame } from "../sentry/normalized_event.ts";
import {
  linesOf,
  MAX_FRAMES,
  numbered,
  type ParsedException,
  splitTitle,
} from "./parsed_exception.ts";

const FRAME = /^ {2}File "(.{1,1500})", line (\d{1,9})(?:, in (.{1,500}))?$/;
const SOURCE = /^ {4}(\S.*)$/;
/** Python 3.11 underlines the part of the line. */
const MARKERS = /^ {4}[\s~^]+$/;
const START = /^Traceback \(most recent call last\):$/;
/** Of exception groups, whose parts are drawn as a tree. */
const TREE = /^[\s|+-]*[|+-] ?(?=\S| {2}File| {4})/;
const BETWEEN =
  /^(?:During handling of the above exception, another|The above exception was the direct cause of)/;

/** A traceback as Python prints it. What caused an exception comes before it, in the text as in the result. */
export function parsePython(text: string): ParsedException[] {
  const found: ParsedException[] = [];
  let frames: Frame[] = [];
  let title: string[] | null = null;
  const finish = () => {
    if (title !== null) found.push({ ...splitTitle(title.join("\n").trimEnd()), frames });
    frames = [];
    title = null;
  };
  for (const sent of linesOf(text)) {
    const line = sent.includes("|") ? sent.replace(TREE, "") : sent;
    if (START.test(line) || BETWEEN.test(line)) finish();
    else if (title !== null) title.push(line);
    else if (readLine(line, frames) === "title") title = [line];
  }
  finish();
  // Text without a title, such as that of `traceback.format_stack()`.
  if (found.length === 0 && frames.length > 0) found.push({ type: "", value: "", frames });
  return found;
}

/** Takes a frame or its source; anything at the margin begins the exception itself. */
function readLine(line: string, frames: Frame[]): "title" | "frame" {
  const [, path, lineno, name] = FRAME.exec(line) ?? [];
  if (path !== undefined) {
    if (frames.length < MAX_FRAMES) frames.push(frameAt(path, lineno, name));
    return "frame";
  }
  const last = frames.at(-1);
  const [, source] = SOURCE.exec(line) ?? [];
  if (source !== undefined && last !== undefined && !MARKERS.test(line)) {
    last.context_line ??= `    ${source}`;
  }
  return /^\S/.test(line) && frames.length > 0 ? "title" : "frame";
}

const FOREIGN =
  /[/\\](?:site-packages|dist-packages)[/\\]|[/\\]lib(?:64)?[/\\]python\d[\d.]*[/\\]|[/\\]Lib[/\\]|^<(?:frozen|string|stdin)/;
/** The part of a path that an import names. */
const IMPORTED = /^.*[/\\](?:site-packages|dist-packages|python\d[\d.]*)[/\\](.+)$/;

function frameAt(path: string, lineno: string | undefined, name: string | undefined): Frame {
  const [, imported = path] = IMPORTED.exec(path) ?? [];
  return {
    ...(name !== undefined && { function: name }),
    filename: imported,
    abs_path: path,
    ...numbered(lineno),
    in_app: !FOREIGN.test(path),
  };
}
