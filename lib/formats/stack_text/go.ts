import type { Frame } from "../sentry/normalized_event.ts";
import { linesOf, MAX_FRAMES, numbered, type ParsedException } from "./parsed_exception.ts";

const GOROUTINE = /^goroutine \d+ \[/;
const PLACE = /^\s+(\S.{0,900}?):(\d{1,9})(?: \+0x[\da-f]+)?$/;

/** `debug.Stack()` of Go, or the `%+v` of `pkg/errors`: the first goroutine. One exception without a title. */
export function parseGo(text: string): ParsedException[] {
  const frames: Frame[] = [];
  let call: string | null = null;
  let goroutines = 0;
  for (const line of linesOf(text)) {
    if (GOROUTINE.test(line) && goroutines++ > 0) break;
    const [, path, lineno] = PLACE.exec(line) ?? [];
    if (path !== undefined && call !== null) {
      if (frames.length < MAX_FRAMES) frames.push(frameAt(call, path, lineno));
      call = null;
    } else call = readCall(line);
  }
  return [{ type: "", value: "", frames: frames.reverse() }];
}

/** `main.(*Cart).Pay(0xc000012345, {0x1, 0x2})`, or `created by main.main in goroutine 1`. */
function readCall(line: string): string | null {
  const call = line.replace(/^created by /, "").replace(/ in goroutine \d+$/, "");
  const name = call.endsWith(")") ? call.slice(0, openingOfLast(call)) : call;
  return name === "" || /\s/.test(name) ? null : name;
}

/** Where the last pair of parentheses, which may hold others, begins. */
function openingOfLast(call: string): number {
  let depth = 0;
  for (let at = call.length - 1; at >= 0; at--) {
    if (call[at] === ")") depth++;
    else if (call[at] === "(" && --depth === 0) return at;
  }
  return call.length;
}

/** The package ends at the first dot after the last slash: `github.com/shop/cart.(*Cart).Pay`. */
function frameAt(call: string, path: string, lineno: string | undefined): Frame {
  const dot = call.indexOf(".", call.lastIndexOf("/", call.search(/[[(]|$/)) + 1);
  const module = dot > 0 ? call.slice(0, dot) : "";
  return {
    function: dot > 0 ? call.slice(dot + 1) : call,
    ...(module !== "" && { module: module.replaceAll("%2e", ".") }),
    filename: withoutRoot(path),
    abs_path: path,
    ...numbered(lineno),
    in_app: isOwn(module, path),
  };
}

/** Modules and Go's own sources by what an import names. */
function withoutRoot(path: string): string {
  return path.replace(/^.*(?:\/pkg\/mod\/|\/vendor\/|\/go\/src\/)/, "");
}

function isOwn(module: string, path: string): boolean {
  if (/\/(?:pkg\/mod|vendor)\/|\/go\/src\/|\/libexec\/src\//.test(path)) return false;
  return !/^(?:runtime|internal|net\/http|go\.opentelemetry\.io)(?:\/|$)/.test(module);
}
