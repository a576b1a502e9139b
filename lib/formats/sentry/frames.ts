import { askedOnce } from "./known_frames.ts";
import type { Frame, Stacktrace } from "./normalized_event.ts";

/** What a frame is judged by. */
export type JudgedFrame = Pick<
  Frame,
  "function" | "module" | "filename" | "abs_path" | "in_app" | "platform"
>;

/** What is known of a platform's runtime and of the SDK itself: a name of any of these is nobody's application. */
interface Known {
  readonly functions?: RegExp;
  readonly modules?: RegExp;
  /** Of a file's name or path. */
  readonly files?: RegExp;
}

const SCRIPT: Known = {
  // Angular's zones and the SDK itself wrap every callback of a browser.
  functions:
    /(?:^|\.)(?:global(?:ZoneAware)?(?:Capture)?Callback|sentryWrapped|drainMicroTaskQueue|executeListenerWithErrorHandling|wrapListenerIn_\w+)$|^_?Zone(?:Delegate|Task|Impl)?\.\w/,
  files:
    /^(?:node:|internal\/|ext:|deno:|native |\[native code\]$)|(?:^|[/\\])(?:polyfills(?:[-.][\w-]{1,64}){0,3}\.m?js$|node_modules[/\\](?:@sentry|@sentry-internal|@opentelemetry|zone\.js|core-js|regenerator-runtime)[/\\]|zone(?:\.umd|\.min|-evergreen|-node)?\.m?js$|(?:\.vite[/\\]deps[/\\])?zone__?js)/,
};

const NATIVE: Known = {
  functions:
    /^(?:<?&?(?:mut |dyn )*(?:std|core|alloc|backtrace|sentry|sentry_\w+)::|__rust_|rust_(?:begin_unwind|panic)|_start$|__libc_start|start_thread$|__pthread_start$|clone3?$)/,
  files: /^[/\\]rustc[/\\]/,
};

/** By platform, as events and frames name them. */
const KNOWN: ReadonlyMap<string, Known> = new Map([
  ...["javascript", "node"].map((platform) => [platform, SCRIPT] as const),
  ...["native", "rust", "c", "cpp"].map((platform) => [platform, NATIVE] as const),
  ["python", {
    modules: /^(?:sentry_sdk|opentelemetry)(?:\.|$)/,
    files: /[/\\]lib(?:64)?[/\\]python\d[\d.]*[/\\](?!site-packages|dist-packages)|^<frozen /,
  }],
  ["java", {
    modules:
      /^(?:javax?|jdk|sun|com\.sun|kotlinx?|scala|groovy|dalvik|android|io\.sentry|io\.opentelemetry)\./,
  }],
  ["csharp", { modules: /^(?:System|Microsoft|Sentry|OpenTelemetry)\./ }],
  ["go", {
    modules:
      /^(?:runtime|reflect|sync|testing|internal\/|net\/http|github\.com\/getsentry\/sentry-go|go\.opentelemetry\.io)(?:[/.]|$)/,
  }],
  ["ruby", { files: /^<internal:|[/\\]gems[/\\](?:sentry-|opentelemetry-)/ }],
  ["php", { functions: /^(?:Sentry|OpenTelemetry)\\/, files: /[/\\]vendor[/\\]sentry[/\\]/ }],
]);

/** Whether a frame is known to be of the runtime or the SDK, whatever the SDK says of it. @param platform of the event */
export function isRuntime(frame: JudgedFrame, platform: string): boolean {
  const { functions, modules, files } = KNOWN.get(frame.platform ?? platform) ?? {};
  return matches(functions, frame.function) || matches(modules, frame.module) ||
    matches(files, frame.abs_path) || matches(files, frame.filename);
}

/**
 * Whether a frame is the application's own: the one rule for groups, culprits, pages and the API. The SDK decides, but
 * some mark their own frames, and the runtime's, as the application's.
 *
 * @param platform of the event
 */
export function isInApp(frame: JudgedFrame, platform: string): boolean {
  return frame.in_app === true && !isRuntime(frame, platform);
}

function matches(pattern: RegExp | undefined, text: string | undefined): boolean {
  return pattern !== undefined && text !== undefined && pattern.test(text);
}

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
  rules: StackRules,
  platform: string,
): readonly string[] {
  return askedOnce(
    stacktrace?.frames,
    `values ${rules.from} ${rules.version} ${platform}`,
    () => valuesOf(stacktrace, rules, platform),
  );
}

function valuesOf(
  stacktrace: Stacktrace | undefined,
  { from, version }: StackRules,
  platform: string,
): readonly string[] {
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
  return askedOnce(
    stacktrace?.frames,
    `app ${version} ${platform}`,
    () => stacktrace?.frames.some((frame) => isApp(frame, platform, version)) ?? false,
  );
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

const UNKNOWN = new Set(["", "?", "<anonymous>", "anonymous", "Anonymous function", "<unknown>"]);

/**
 * The part of a function's name that stays the same from build to build, or undefined when the function has no
 * name worth comparing.
 */
export function stableFunctionName(name: string, platform: string): string | undefined {
  const stable = (CLEANERS.get(platform) ?? ((same) => same))(name).trim();
  return UNKNOWN.has(stable) ? undefined : stable;
}

type Cleaner = (name: string) => string;

/** `async Object.load [as run]` → `load`; Firefox marks functions inside anonymous ones with `/<`. */
const javascript: Cleaner = (name) => {
  if (name.endsWith("/<")) return "";
  const bare = name.replace(/ \[as [^\]]{0,200}\]$/, "").replace(/^(?:async |new )+/, "");
  return bare.slice(bare.lastIndexOf(".") + 1);
};

/** PHP 8.4 puts file and line into a closure's name, and every version puts the path into an anonymous class's. */
const php: Cleaner = (name) =>
  name.replace(/\{closure[^}]*\}/g, "{closure}")
    .replace(/@anonymous[^]*?(?=::|->|$)/g, "@anonymous");

/** `block (2 levels) in run` → `block in run`; compiled templates end in changing digits. */
const ruby: Cleaner = (name) =>
  name.replace(/^block \(\d+ levels\) in /, "block in ").replace(/_{2,}\d+_\d+$/, "");

const java: Cleaner = (name) => name.startsWith("lambda$") ? "" : name;

/** Objective-C methods are named with brackets and colons; all else loses parameters, templates and hashes. */
const native: Cleaner = (name) =>
  /^[-+]\[/.test(name) ? name : withoutBrackets(name)
    .replace(/::h[0-9a-f]{16}$/, "")
    .replace(/__\d+/g, "__");

/** Drops `(…)` and `<…>` with all they hold, unless nothing else would be left. */
function withoutBrackets(name: string): string {
  let kept = "";
  let depth = 0;
  for (const char of name) {
    if (char === "(" || char === "<") depth++;
    if (depth === 0) kept += char;
    if ((char === ")" || char === ">") && depth > 0) depth--;
  }
  return kept.trim() === "" ? name : kept;
}

const CLEANERS: ReadonlyMap<string, Cleaner> = new Map([
  ...["javascript", "node"].map((platform) => [platform, javascript] as const),
  ...["native", "c", "cocoa", "objc", "csharp", "rust", "swift"]
    .map((platform) => [platform, native] as const),
  ["php", php],
  ["ruby", ruby],
  ["java", java],
]);

/** Of the grouping algorithm. */
export type GroupingVersion = 1 | 2 | 3;

/**
 * Kept with every group. Count it up when the same event would get another hash, and let `groupEvent()` give
 * the hash of the version before as a second one, so that old issues go on. No new hash may equal an old one of other
 * events: what versions join differently would meet in one issue again.
 *
 * 2: unnamed functions of a browser's scripts do not count beside named ones. 3: source lines count; so does what was
 * thrown that is no error, where the stack is only the SDK's; frames of runtimes and SDKs are never the application's.
 */
export const GROUPING_VERSION: GroupingVersion = 3;
