import type { Frame } from "../sentry/normalized_event.ts";
import { parseJava } from "./java.ts";
import { linesOf, MAX_FRAMES, numbered, type ParsedException } from "./parsed_exception.ts";

/** `#0 /app/cart.php(12): Cart->pay('a', 1)` or `#3 [internal function]: …` or `#4 {main}` */
const CALL = /^#\d{1,5} (?:(.{1,1000}?)\((\d{1,9})\): |\[internal function\]: )?(.{1,1500})$/;
/** `PDOException: no such table`, which ` in /app/db.php:12` follows. */
const TITLE = /^(?:PHP Fatal error: {1,2}Uncaught )?(?:Next )?([\w\\]{1,250})(?:: ([^]*))?$/;
const PLACE = /^(.+):(\d{1,9})$/;
/** Longer messages are cut. */
const MAX_TITLE = 8_192;
const OTEL_FRAME = /^[ \t]*at \S{1,500}\(/m;

interface Call {
  readonly path?: string;
  readonly lineno?: string;
  readonly name: string;
}

/** PHP's own form, or the one that OpenTelemetry for PHP makes, which is Java's. What caused an exception comes first. */
export function parsePhp(text: string): ParsedException[] {
  if (!/^#\d/m.test(text) && OTEL_FRAME.test(text)) return parseJava(text).map(withPhpNames);
  const found: ParsedException[] = [];
  let title = "";
  let calls: Call[] = [];
  for (const line of linesOf(text)) {
    const call = readCall(line);
    if (call !== null) {
      if (calls.length < MAX_FRAMES) calls.push(call);
    } else if (line === "" || line === "Stack trace:" || /^\s+thrown in /.test(line)) continue;
    else {
      if (calls.length > 0) {
        found.push(exceptionOf(title, calls));
        [title, calls] = ["", []];
      }
      if (title.length < MAX_TITLE) title = title === "" ? line : `${title}\n${line}`;
    }
  }
  if (calls.length > 0) found.push(exceptionOf(title, calls));
  return found;
}

function readCall(line: string): Call | null {
  const [, path, lineno, sent] = CALL.exec(line) ?? [];
  if (sent === undefined) return null;
  const name = sent === "{main}" ? "" : sent.replace(/\([^]*$/, "");
  return { name, ...(path !== undefined && { path }), ...(lineno !== undefined && { lineno }) };
}

/** A call stands with the place that it was made at; a frame with the place that it has come to. */
function exceptionOf(title: string, calls: readonly Call[]): ParsedException {
  const end = title.lastIndexOf(" in ");
  const [, path, lineno] = PLACE.exec(end < 0 ? "" : title.slice(end + 4)) ?? [];
  const [, type = "", value = ""] = TITLE.exec(path === undefined ? title : title.slice(0, end)) ??
    [];
  const places = [{ path, lineno }, ...calls];
  const frames = calls.map(({ name }, index) =>
    frameAt(name, places[index]?.path, places[index]?.lineno)
  );
  return { type, value, frames: frames.reverse() };
}

function frameAt(name: string, path: string | undefined, lineno: string | undefined): Frame {
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
