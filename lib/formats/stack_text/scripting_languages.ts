import type { Frame } from "../sentry/normalized_event.ts";
import { parseJava } from "./compiled_languages.ts";
import {
  exceptionOf,
  linesOf,
  MAX_FRAMES,
  numbered,
  type ParsedException,
  type Section,
  splitTitle,
} from "./parsed_exception.ts";

/** V8: Chrome, Node.js, Deno. `    at async Shop.buy (file:///app/shop.ts:3:15)` */
const V8_CALL = /^\s+at (\S.*)$/;
/** Firefox and Safari. `buy@https://shop.example/app.js:3:15` */
const GECKO_FRAME =
  /^\s*([^@\s]{0,300})@((?:https?|file|app|blob|webpack|capacitor|resource|moz-extension|safari-web-extension):.{1,1500})$/;
const JS_PLACE = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))$/;
/** What the engines print before an error that caused the one above. */
const JS_CAUSE = /^\s*(?:\[cause\]:|Caused by:?)\s*(.*?)\s*\{?$/;

/** `stack` of an error in JavaScript. The cause, where the text has one, comes first. */
export function parseJavaScript(text: string): ParsedException[] {
  const found: Section[] = [{ title: [], frames: [] }];
  for (const line of linesOf(text)) {
    const current = found.at(-1);
    if (current === undefined) break;
    const frame = readJsFrame(line);
    const [, cause] = JS_CAUSE.exec(line) ?? [];
    if (frame !== null) {
      if (current.frames.length < MAX_FRAMES) current.frames.push(frame);
    } else if (cause !== undefined && current.frames.length > 0) {
      found.push({ title: [cause], frames: [] });
    } else if (current.frames.length === 0) current.title.push(line);
  }
  return found.reverse().map((section) => exceptionOf(section, /^Uncaught /));
}

function readJsFrame(line: string): Frame | null {
  const [, call] = V8_CALL.exec(line) ?? [];
  if (call !== undefined) return readV8Call(call);
  const [, geckoName, geckoPlace] = GECKO_FRAME.exec(line) ?? [];
  return geckoPlace === undefined ? null : jsFrame(geckoPlace, geckoName);
}

/** `name (place)`, or the place alone. */
function readV8Call(call: string): Frame | null {
  const open = call.endsWith(")") ? call.indexOf(" (") : -1;
  return open < 0
    ? jsFrame(call.replace(/^async /, ""), undefined)
    : jsFrame(call.slice(open + 2, -1), call.slice(0, open));
}

function jsFrame(place: string, name: string | undefined): Frame | null {
  // The place of the call, not the one in the text that was run.
  const spot = place.startsWith("eval at ") ? /\((?:[^()]{1,500})\)/.exec(place)?.[0] : place;
  const [, file, line, column] = JS_PLACE.exec(spot?.replace(/^\(|\)$/g, "") ?? "") ?? [];
  const isNative = file === undefined;
  // A sentence that begins with "at" is no frame.
  if (isNative && !/^(?:native|<anonymous>|index \d+|wasm)/.test(place)) return null;
  const path = (file ?? place).replace(/^file:\/\//, "");
  const called = jsFunctionName(name);
  return {
    ...(called !== "" && { function: called }),
    filename: path,
    abs_path: path,
    ...(isNative ? {} : numbered(line ?? column, line === undefined ? undefined : column)),
    in_app: !JS_FOREIGN.test(path),
  };
}

/** `async `, `new ` and `[as alias]` say how it was called. */
function jsFunctionName(name: string | undefined): string {
  const plain = name?.replace(/^async /, "").replace(/ \[as [^\]]{1,100}\]$/, "") ?? "";
  return plain === "<anonymous>" ? "" : plain;
}

const JS_FOREIGN =
  /^(?:node:|ext:|internal\/|native|<anonymous>|index \d|wasm|[\w-]+\.js$|https:\/\/(?:jsr\.io|deno\.land|esm\.sh|cdn\.jsdelivr\.net|unpkg\.com)\/|(?:chrome|moz|safari-web)-extension:)|[/\\]node_modules[/\\]|[/\\]npm[/\\]registry\.npmjs\.org[/\\]|[/\\]\.(?:yarn|pnpm)[/\\]/;

const PYTHON_FRAME = /^ {2}File "(.{1,1500})", line (\d{1,9})(?:, in (.{1,500}))?$/;
const PYTHON_SOURCE = /^ {4}(\S.*)$/;
/** Python 3.11 underlines the part of the line. */
const PYTHON_MARKERS = /^ {4}[\s~^]+$/;
const PYTHON_START = /^Traceback \(most recent call last\):$/;
/** Of exception groups, whose parts are drawn as a tree. */
const PYTHON_TREE = /^[\s|+-]*[|+-] ?(?=\S| {2}File| {4})/;
const PYTHON_BETWEEN =
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
    const line = sent.includes("|") ? sent.replace(PYTHON_TREE, "") : sent;
    if (PYTHON_START.test(line) || PYTHON_BETWEEN.test(line)) finish();
    else if (title !== null) title.push(line);
    else if (readPythonLine(line, frames) === "title") title = [line];
  }
  finish();
  // Text without a title, such as that of `traceback.format_stack()`.
  if (found.length === 0 && frames.length > 0) found.push({ type: "", value: "", frames });
  return found;
}

/** Takes a frame or its source; anything at the margin begins the exception itself. */
function readPythonLine(line: string, frames: Frame[]): "title" | "frame" {
  const [, path, lineno, name] = PYTHON_FRAME.exec(line) ?? [];
  if (path !== undefined) {
    if (frames.length < MAX_FRAMES) frames.push(pythonFrame(path, lineno, name));
    return "frame";
  }
  const last = frames.at(-1);
  const [, source] = PYTHON_SOURCE.exec(line) ?? [];
  if (source !== undefined && last !== undefined && !PYTHON_MARKERS.test(line)) {
    last.context_line ??= `    ${source}`;
  }
  return /^\S/.test(line) && frames.length > 0 ? "title" : "frame";
}

const PYTHON_FOREIGN =
  /[/\\](?:site-packages|dist-packages)[/\\]|[/\\]lib(?:64)?[/\\]python\d[\d.]*[/\\]|[/\\]Lib[/\\]|^<(?:frozen|string|stdin)/;
/** The part of a path that an import names. */
const PYTHON_IMPORTED = /^.*[/\\](?:site-packages|dist-packages|python\d[\d.]*)[/\\](.+)$/;

function pythonFrame(path: string, lineno: string | undefined, name: string | undefined): Frame {
  const [, imported = path] = PYTHON_IMPORTED.exec(path) ?? [];
  return {
    ...(name !== undefined && { function: name }),
    filename: imported,
    abs_path: path,
    ...numbered(lineno),
    in_app: !PYTHON_FOREIGN.test(path),
  };
}

/** `	from /app/cart.rb:12:in 'Cart#pay'`, or without `from` in a plain backtrace; before Ruby 3.4 with a backtick. */
const RUBY_FRAME = /^\s*(?:from )?(\S.{0,900}?):(\d{1,9})(?::in [`']([^']{1,300})')?$/;
/** `/app/cart.rb:12:in 'Cart#pay': no such item (KeyError)` */
const RUBY_TITLE =
  /^(\S.{0,900}?):(\d{1,9})(?::in [`']([^']{1,300})')?: (.{0,1500}?)(?: \(([\w:]{1,250})\))?$/;

/** `full_message` of a Ruby exception, causes below it, or its bare backtrace. The first cause comes first. */
export function parseRuby(text: string): ParsedException[] {
  /** Their frames newest call first, as in the text. */
  const sections: ParsedException[] = [];
  for (const line of linesOf(text)) {
    const [, path, lineno, name] = RUBY_FRAME.exec(line) ?? [];
    if (path !== undefined) {
      if (sections.length === 0) sections.push({ type: "", value: "", frames: [] });
      const { frames = [] } = sections.at(-1) ?? {};
      if (frames.length < MAX_FRAMES) frames.push(rubyFrame(path, lineno, name));
      continue;
    }
    const section = readRubyTitle(line);
    if (section !== null) sections.push(section);
  }
  return sections.reverse().map((section) => ({ ...section, frames: section.frames.reverse() }));
}

function readRubyTitle(line: string): ParsedException | null {
  const [, path, lineno, name, value = "", type = ""] = RUBY_TITLE.exec(line) ?? [];
  // Lines of a message may look similar, but are not of a source file.
  if (path === undefined || /^\s/.test(line) || !/\.\w{1,5}$|^\(|^</.test(path)) return null;
  return { type, value, frames: [rubyFrame(path, lineno, name)] };
}

const RUBY_FOREIGN = /[/\\](?:gems|bundler|rubygems)[/\\]|[/\\]lib[/\\]ruby[/\\]|^<internal:/;

function rubyFrame(path: string, lineno: string | undefined, name: string | undefined): Frame {
  return {
    ...(name !== undefined && { function: name }),
    filename: path.replace(/^.*[/\\]gems[/\\]/, ""),
    abs_path: path,
    ...numbered(lineno),
    in_app: !RUBY_FOREIGN.test(path),
  };
}

/** `#0 /app/cart.php(12): Cart->pay('a', 1)` or `#3 [internal function]: …` or `#4 {main}` */
const PHP_CALL = /^#\d{1,5} (?:(.{1,1000}?)\((\d{1,9})\): |\[internal function\]: )?(.{1,1500})$/;
/** `PDOException: no such table`, which ` in /app/db.php:12` follows. */
const PHP_TITLE = /^(?:PHP Fatal error: {1,2}Uncaught )?(?:Next )?([\w\\]{1,250})(?:: ([^]*))?$/;
const PHP_PLACE = /^(.+):(\d{1,9})$/;
/** Longer messages are cut. */
const PHP_MAX_TITLE = 8_192;
const PHP_OTEL_FRAME = /^[ \t]*at \S{1,500}\(/m;

interface PhpCall {
  readonly path?: string;
  readonly lineno?: string;
  readonly name: string;
}

/** PHP's own form, or the one that OpenTelemetry for PHP makes, which is Java's. What caused an exception comes first. */
export function parsePhp(text: string): ParsedException[] {
  if (!/^#\d/m.test(text) && PHP_OTEL_FRAME.test(text)) return parseJava(text).map(withPhpNames);
  const found: ParsedException[] = [];
  let title = "";
  let calls: PhpCall[] = [];
  for (const line of linesOf(text)) {
    const call = readPhpCall(line);
    if (call !== null) {
      if (calls.length < MAX_FRAMES) calls.push(call);
    } else if (line === "" || line === "Stack trace:" || /^\s+thrown in /.test(line)) continue;
    else {
      if (calls.length > 0) {
        found.push(phpException(title, calls));
        [title, calls] = ["", []];
      }
      if (title.length < PHP_MAX_TITLE) title = title === "" ? line : `${title}\n${line}`;
    }
  }
  if (calls.length > 0) found.push(phpException(title, calls));
  return found;
}

function readPhpCall(line: string): PhpCall | null {
  const [, path, lineno, sent] = PHP_CALL.exec(line) ?? [];
  if (sent === undefined) return null;
  const name = sent === "{main}" ? "" : sent.replace(/\([^]*$/, "");
  return { name, ...(path !== undefined && { path }), ...(lineno !== undefined && { lineno }) };
}

/** A call stands with the place that it was made at; a frame with the place that it has come to. */
function phpException(title: string, calls: readonly PhpCall[]): ParsedException {
  const end = title.lastIndexOf(" in ");
  const [, path, lineno] = PHP_PLACE.exec(end < 0 ? "" : title.slice(end + 4)) ?? [];
  const [, type = "", value = ""] =
    PHP_TITLE.exec(path === undefined ? title : title.slice(0, end)) ??
      [];
  const places = [{ path, lineno }, ...calls];
  const frames = calls.map(({ name }, index) =>
    phpFrame(name, places[index]?.path, places[index]?.lineno)
  );
  return { type, value, frames: frames.reverse() };
}

function phpFrame(name: string, path: string | undefined, lineno: string | undefined): Frame {
  return {
    ...(name !== "" && { function: name }),
    ...(path !== undefined && { filename: path, abs_path: path, ...numbered(lineno) }),
    in_app: path !== undefined && !/[/\\]vendor[/\\]/.test(path),
  };
}

/** Java's form has dots for backslashes. */
function withPhpNames({ type, value, frames }: ParsedException): ParsedException {
  return {
    type: type.replaceAll(".", "\\"),
    value,
    frames: frames.map(({ module, in_app: _, ...frame }) => ({
      ...frame,
      function: [module?.replaceAll(".", "\\"), frame.function].filter(Boolean).join("::"),
      in_app: frame.filename !== undefined && !/^(?:OpenTelemetry|Composer)\./.test(module ?? ""),
    })),
  };
}
