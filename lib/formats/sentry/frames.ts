import { isInApp } from "./in_app.ts";
import type { Frame, Stacktrace } from "./normalized_event.ts";
import { stableFunctionName } from "./function_name.ts";
import type { GroupingVersion } from "./version.ts";

/** Which frames of a stack count. */
export interface StackRules {
  /** Only those of the application, or all. */
  readonly from: "app" | "system";
  /** Of the algorithm. */
  readonly version: GroupingVersion;
}

const BROWSER_LIKE = new Set(["javascript", "node"]);

/** Platforms that send the source line itself, not a made-up one. */
const WITH_SOURCE = new Set(["javascript", "node", "python", "php", "ruby"]);

/** Longer lines are minified code, which changes with every build. */
const MAX_SOURCE_LENGTH = 120;

const URL_START = /^(?:https?|blob|app|capacitor|file|webpack|chrome-extension|moz-extension):/;
const SCRIPT_FILE = /\.(?:[cm]?jsx?|tsx?|vue|svelte|bundle|jsbundle|hbc|wasm)$/;

/** Where JS engines put what has no source of its own; browsers differ in whether they report it at all. */
const NATIVE_FILES = new Set([
  "<anonymous>",
  "[native code]",
  "native code",
  "native",
  "eval code",
]);

/**
 * What a stack contributes to its group: one value for each frame that counts, with its source, without line numbers,
 * variables and directories; repeats of a frame (recursion) once. Empty when the stack says nothing.
 *
 * Whether a browser's stack begins with an unnamed frame (the script itself, an `async` callback) depends on who
 * called first, so those count only where no frame has a name.
 */
export function stackValues(
  stacktrace: Stacktrace | undefined,
  { from, version }: StackRules,
  platform: string,
): string[] {
  if (isLoneScript(stacktrace, platform)) return [];
  const frames =
    stacktrace?.frames.filter((frame) => from === "system" || isApp(frame, platform, version)) ??
      [];
  const named = version === 1 ? frames : frames.filter((frame) => !isUnnamed(frame, platform));
  const values: string[] = [];
  for (const frame of named.length > 0 ? named : frames) {
    const value = frameValue(frame, frame.platform ?? platform, version);
    if (value !== "" && value !== values.at(-1)) values.push(value);
  }
  return values;
}

/** A function without a name, in a script at an address. */
function isUnnamed(frame: Frame, platform: string): boolean {
  const own = frame.platform ?? platform;
  return own === "javascript" && isAddressed(frame) &&
    !(frame.function && stableFunctionName(frame.function, own));
}

/** Whether any frame is the application's own. */
export function hasAppFrame(
  stacktrace: Stacktrace | undefined,
  platform: string,
  version: GroupingVersion,
): boolean {
  return stacktrace?.frames.some((frame) => isApp(frame, platform, version)) ?? false;
}

/** Until version 3 the SDK alone decided. */
function isApp(frame: Frame, platform: string, version: GroupingVersion): boolean {
  return version < 3 ? frame.in_app === true : isInApp(frame, platform);
}

/** One frame at a URL without a function is where a script was, not what it did. */
function isLoneScript(stacktrace: Stacktrace | undefined, platform: string): boolean {
  const [only, ...others] = stacktrace?.frames ?? [];
  if (!only || others.length > 0 || only.function) return false;
  return BROWSER_LIKE.has(only.platform ?? platform) && URL_START.test(only.abs_path ?? "");
}

function frameValue(frame: Frame, platform: string, version: GroupingVersion): string {
  const isScript = BROWSER_LIKE.has(platform);
  if (isScript && NATIVE_FILES.has(frame.filename ?? "")) return "";
  const place = isScript ? scriptPlace(frame) : placeOf(frame, platform);
  const name = frame.function && stableFunctionName(frame.function, platform);
  const line = sourceLine(frame, platform);
  if (!place && !name && !line) return "";
  // Until version 3 a line stood in where there was no name.
  if (version < 3 || !WITH_SOURCE.has(platform)) return `${place}|${name ?? line}`;
  return `${place}|${name ?? ""}|${line}`;
}

function placeOf(frame: Frame, platform: string): string {
  if (frame.module) return platform === "java" ? withoutGenerated(frame.module) : frame.module;
  return baseName(frame.filename ?? frame.package ?? "").toLowerCase();
}

/** Names that Java makes up while it runs: lambdas, proxies, reflection accessors. */
function withoutGenerated(module: string): string {
  return module.replace(/\$\$(?:Lambda|EnhancerBy|FastClassBy|SpringCGLIB)[^]*$/, "")
    .replace(/(GeneratedMethodAccessor|GeneratedConstructorAccessor|\$Proxy)\d+$/, "$1");
}

/** A script at a URL counts by its file name without the hash of the build; a page's own inline script does not. */
function scriptPlace(frame: Frame): string {
  if (!isAddressed(frame)) {
    return withoutBuildHash(frame.module ?? baseName(frame.filename ?? "")).toLowerCase();
  }
  const file = baseName(frame.filename ?? "");
  return SCRIPT_FILE.test(file) ? withoutBuildHash(file).toLowerCase() : "";
}

/** Whether it is known by a URL alone, and not by a source map. */
function isAddressed(frame: Frame): boolean {
  return URL_START.test(frame.abs_path ?? "") && !frame.data?.sourcemap;
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Hex digits of webpack and others, alone or beside a name. */
const HEX_HASH = /(^|[-._~])(?=[a-f]{0,64}\d)[\da-f]{8,64}(?=[-._~]|$)/gi;
/** Vite's eight letters, digits, `-` and `_`, told from a word by a digit or a capital. */
const VITE_HASH = /-(?=[a-z_-]{0,7}[\dA-Z])[\w-]{8}(?=\.[cm]?js$)/;

function withoutBuildHash(file: string): string {
  return file.replace(HEX_HASH, "$1<hash>").replace(VITE_HASH, "-<hash>");
}

/** The source line: two errors of one function are two problems, and a function may have no name. */
function sourceLine(frame: Frame, platform: string): string {
  if (!frame.context_line || !WITH_SOURCE.has(platform)) return "";
  if (platform === "javascript" && URL_START.test(frame.abs_path ?? "")) return "";
  const line = frame.context_line.replace(/\s+/g, " ").trim();
  return line.length > MAX_SOURCE_LENGTH ? "" : line;
}
