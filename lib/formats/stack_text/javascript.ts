import type { Frame } from "../sentry/normalized_event.ts";
import {
  linesOf,
  MAX_FRAMES,
  numbered,
  type ParsedException,
  splitTitle,
} from "./parsed_exception.ts";

/** V8: Chrome, Node.js, Deno. `    at async Shop.buy (file:///app/shop.ts:3:15)` */
const V8_CALL = /^\s+at (\S.*)$/;
/** Firefox and Safari. `buy@https://shop.example/app.js:3:15` */
const GECKO_FRAME =
  /^\s*([^@\s]{0,300})@((?:https?|file|app|blob|webpack|capacitor|resource|moz-extension|safari-web-extension):.{1,1500})$/;
const PLACE = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))$/;
/** What the engines print before an error that caused the one above. */
const CAUSE = /^\s*(?:\[cause\]:|Caused by:?)\s*(.*?)\s*\{?$/;

/** `stack` of an error in JavaScript. The cause, where the text has one, comes first. */
export function parseJavaScript(text: string): ParsedException[] {
  const found: { title: string[]; frames: Frame[] }[] = [{ title: [], frames: [] }];
  for (const line of linesOf(text)) {
    const current = found.at(-1);
    if (current === undefined) break;
    const frame = readFrame(line);
    const [, cause] = CAUSE.exec(line) ?? [];
    if (frame !== null) {
      if (current.frames.length < MAX_FRAMES) current.frames.push(frame);
    } else if (cause !== undefined && current.frames.length > 0) {
      found.push({ title: [cause], frames: [] });
    } else if (current.frames.length === 0) current.title.push(line);
  }
  return found.reverse().map(({ title, frames }) => ({
    ...splitTitle(title.join("\n").replace(/^Uncaught /, "")),
    frames: frames.reverse(),
  }));
}

function readFrame(line: string): Frame | null {
  const [, call] = V8_CALL.exec(line) ?? [];
  if (call !== undefined) return readCall(call);
  const [, geckoName, geckoPlace] = GECKO_FRAME.exec(line) ?? [];
  return geckoPlace === undefined ? null : frameAt(geckoPlace, geckoName);
}

/** `name (place)`, or the place alone. */
function readCall(call: string): Frame | null {
  const open = call.endsWith(")") ? call.indexOf(" (") : -1;
  return open < 0
    ? frameAt(call.replace(/^async /, ""), undefined)
    : frameAt(call.slice(open + 2, -1), call.slice(0, open));
}

function frameAt(place: string, name: string | undefined): Frame | null {
  // The place of the call, not the one in the text that was run.
  const spot = place.startsWith("eval at ") ? /\((?:[^()]{1,500})\)/.exec(place)?.[0] : place;
  const [, file, line, column] = PLACE.exec(spot?.replace(/^\(|\)$/g, "") ?? "") ?? [];
  const isNative = file === undefined;
  // A sentence that begins with "at" is no frame.
  if (isNative && !/^(?:native|<anonymous>|index \d+|wasm)/.test(place)) return null;
  const path = (file ?? place).replace(/^file:\/\//, "");
  const called = functionName(name);
  return {
    ...(called !== "" && { function: called }),
    filename: path,
    abs_path: path,
    ...(isNative ? {} : numbered(line ?? column, line === undefined ? undefined : column)),
    in_app: isOwn(path),
  };
}

/** `async `, `new ` and `[as alias]` say how it was called. */
function functionName(name: string | undefined): string {
  const plain = name?.replace(/^async /, "").replace(/ \[as [^\]]{1,100}\]$/, "") ?? "";
  return plain === "<anonymous>" ? "" : plain;
}

const FOREIGN =
  /^(?:node:|ext:|internal\/|native|<anonymous>|index \d|wasm|[\w-]+\.js$|https:\/\/(?:jsr\.io|deno\.land|esm\.sh|cdn\.jsdelivr\.net|unpkg\.com)\/|(?:chrome|moz|safari-web)-extension:)|[/\\]node_modules[/\\]|[/\\]npm[/\\]registry\.npmjs\.org[/\\]|[/\\]\.(?:yarn|pnpm)[/\\]/;

function isOwn(path: string): boolean {
  return !FOREIGN.test(path);
}
