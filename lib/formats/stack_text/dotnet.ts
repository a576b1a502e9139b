import type { Frame } from "../sentry/normalized_event.ts";
import {
  baseName,
  linesOf,
  MAX_FRAMES,
  numbered,
  type ParsedException,
  splitTitle,
} from "./parsed_exception.ts";

/** `   at Shop.Cart.Pay(Int32 id) in /src/Cart.cs:line 12` */
const CALL = /^\s+at ([^\s()]{1,700}(?: [^\s()]{1,100})?)\(.*\)$/;
const PLACE = /^(.+?)(?::line (\d{1,9}))?$/;
const INNER = /^\s*---> (?:\(Inner Exception #\d+\) )?(.*?)(?:<---)?$/;
const END_OF_INNER = /^\s*--- End of inner exception stack trace ---/;
const SEPARATOR = /^\s*---/;

interface Section {
  readonly title: string[];
  /** Newest call first, as in the text. */
  readonly frames: Frame[];
}

/** `ToString()` of a .NET exception: inner ones stand inside the outer. The innermost comes first. */
export function parseDotnet(text: string): ParsedException[] {
  const open: Section[] = [{ title: [], frames: [] }];
  const done: Section[] = [];
  for (const line of linesOf(text)) {
    const current = open.at(-1);
    if (current === undefined) break;
    const [, inner] = INNER.exec(line) ?? [];
    const frame = readFrame(line);
    if (inner !== undefined) {
      // Parts of an aggregate follow the stack of the whole: they are no causes of each other.
      if (current.frames.length > 0) break;
      open.push({ title: [inner], frames: [] });
    } else if (END_OF_INNER.test(line)) {
      if (open.length > 1) done.push(open.pop() ?? current);
    } else if (frame !== null) {
      if (current.frames.length < MAX_FRAMES) current.frames.push(frame);
    } else if (current.frames.length === 0 && !SEPARATOR.test(line)) current.title.push(line);
  }
  return [...done, ...open.reverse()].map(({ title, frames }) => ({
    ...splitTitle(title.join("\n")),
    frames: frames.reverse(),
  }));
}

/** What the compiler makes of `async` and of lambdas: `Cart.<Pay>d__5.MoveNext`, `Cart.<>c.<Pay>b__0`. */
const GENERATED = /^(.*?)\.(?:<>c[\w<>]*\.)?<(\w{1,200})>[\w|]*(?:\.MoveNext)?$/;

function readFrame(line: string): Frame | null {
  const end = line.lastIndexOf(") in ") + 1;
  const [, sent] = CALL.exec(end > 0 ? line.slice(0, end) : line) ?? [];
  if (sent === undefined) return null;
  const [, path, lineno] = PLACE.exec(end > 0 ? line.slice(end + " in ".length) : "") ?? [];
  const [, owner, method] = GENERATED.exec(sent) ?? [];
  const name = owner === undefined ? sent : `${owner}.${method}`;
  const dot = name.lastIndexOf(".", name.endsWith(".ctor") ? name.length - 6 : name.length);
  return {
    function: name.slice(dot + 1),
    ...(dot > 0 && { module: name.slice(0, dot) }),
    ...(path !== undefined && { filename: baseName(path), abs_path: path, ...numbered(lineno) }),
    in_app: !/^(?:System|Microsoft|MS|OpenTelemetry|Npgsql|Newtonsoft|mscorlib)\./.test(name),
  };
}
