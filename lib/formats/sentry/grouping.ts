import { hash } from "node:crypto";
import type { Grouping } from "../../records/mod.ts";
import { cspValues } from "./csp.ts";
import { GROUPING_VERSION, type GroupingVersion, hasAppFrame, stackValues } from "./frames.ts";
import {
  exceptionValues,
  framesOf,
  parameterize,
  relevantExceptions,
} from "./grouping_exceptions.ts";
import { isMessage, type NormalizedEvent, type Stacktrace } from "./normalized_event.ts";
import { crashFrame, mainException } from "./title.ts";

/**
 * Decides which issue an event belongs to: by what the client says (checksum, fingerprint), else by exceptions
 * and their stacks, else by the message without what varies.
 */
export function groupEvent(event: NormalizedEvent): Grouping {
  const hash = hashOf(event, GROUPING_VERSION);
  // The first version differs from the second for stacks of browsers only.
  const before: GroupingVersion[] = event.platform === "javascript" ? [2, 1] : [2];
  const older = new Set(before.map((version) => hashOf(event, version)));
  older.delete(hash);
  return { version: GROUPING_VERSION, hashes: [hash, ...older] };
}

const MD5_HASH = /^[0-9a-f]{32}$/i;

function hashOf(event: NormalizedEvent, version: GroupingVersion): string {
  const { checksum, fingerprint = [] } = event;
  if (checksum) return MD5_HASH.test(checksum) ? checksum.toLowerCase() : md5(checksum);

  const isCustom = fingerprint.length > 0 && !fingerprint.every(isDefault);
  if (!isCustom) return defaultHash(event, version);
  const values = fingerprint.map((element) =>
    isDefault(element) ? defaultHash(event, version) : resolveElement(element, event)
  );
  return groupHash("fingerprint", values);
}

function defaultHash(event: NormalizedEvent, version: GroupingVersion): string {
  const builtin = builtinGroup(event);
  if (builtin) return groupHash("builtin", [builtin]);
  for (const [strategy, valuesOf] of STRATEGIES) {
    const values = valuesOf(event, version);
    if (values.length > 0) return groupHash(strategy, values);
  }
  return groupHash("nothing", []);
}

/** What an event contributes to its group; empty when it has nothing of the kind. */
type Strategy = (event: NormalizedEvent, version: GroupingVersion) => readonly string[];

/** The first that contributes decides. */
const STRATEGIES: readonly (readonly [name: string, strategy: Strategy])[] = [
  ["exceptions", chainValues],
  ["threads", (event, version) => loneStackValues(threadStack(event), version, event.platform)],
  ["stack", (event, version) => loneStackValues(event.stacktrace, version, event.platform)],
  ["template", templateValues],
  ["csp", (event) => event.csp ? cspValues(event.csp) : []],
  ["message", messageValues],
];

function chainValues(event: NormalizedEvent, version: GroupingVersion): readonly string[] {
  if (isMessage(event)) return [];
  const rules = { from: framesOf(event, version), version };
  return relevantExceptions(event, version)?.grouped
    .flatMap((exception) => exceptionValues(exception, rules, event)) ?? [];
}

function loneStackValues(
  stacktrace: Stacktrace | undefined,
  version: GroupingVersion,
  platform: string,
): readonly string[] {
  const from = hasAppFrame(stacktrace, platform, version) ? "app" : "system";
  return stackValues(stacktrace, { from, version }, platform);
}

/** The stack of the one thread that crashed, else of the one that was running, else of the only one. */
function threadStack(event: NormalizedEvent): Stacktrace | undefined {
  const threads = event.threads?.values ?? [];
  for (const candidates of [threads.filter((t) => t.crashed), threads.filter((t) => t.current)]) {
    if (candidates.length === 1) return candidates[0]?.stacktrace;
  }
  return threads.length === 1 ? threads[0]?.stacktrace : undefined;
}

function templateValues({ template }: NormalizedEvent): readonly string[] {
  return [template?.filename, template?.context_line?.trim()].filter((part) => part !== undefined);
}

/** The template says more than what it was filled with. */
function messageValues({ logentry }: NormalizedEvent): readonly string[] {
  const text = logentry?.message ?? logentry?.formatted;
  return text ? [parameterize(text)] : [];
}

const VARIABLE = /\{\{\s*(\S+?)\s*\}\}/g;
const DEFAULT = /^\{\{\s*default\s*\}\}$/;

/** Whether an element of a fingerprint stands for the default grouping. */
function isDefault(element: string): boolean {
  return DEFAULT.test(element);
}

/** An element of a client's fingerprint with its variables, as `{{ transaction }}`, replaced by their values. */
export function resolveElement(element: string, event: NormalizedEvent): string {
  return element.replace(VARIABLE, (_, name: string) => valueOf(name, event));
}

type Reader = (event: NormalizedEvent) => string | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["transaction", (event) => event.transaction],
  ["level", (event) => event.level],
  ["logger", (event) => event.logger],
  [
    "message",
    ({ logentry, ...event }) =>
      logentry?.formatted ?? logentry?.message ?? event.exception?.values.at(-1)?.value,
  ],
  ["type", (event) => mainException(event)?.type],
  ["value", (event) => mainException(event)?.value],
  ["function", (event) => crashFrame(event)?.function],
  ["path", (event) => crashFrame(event)?.abs_path ?? crashFrame(event)?.filename],
  ["filename", (event) => crashFrame(event)?.filename],
  ["module", (event) => crashFrame(event)?.module],
  ["package", (event) => crashFrame(event)?.package],
]);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["error.type", "type"],
  ["error.value", "value"],
  ["stack.function", "function"],
  ["stack.abs_path", "path"],
  ["stack.filename", "filename"],
  ["stack.module", "module"],
  ["stack.package", "package"],
]);

function valueOf(variable: string, event: NormalizedEvent): string {
  if (variable.startsWith("tags.")) {
    const name = variable.slice("tags.".length);
    return tagOf(event, name) ?? `<no-value-for-tag-${name}>`;
  }
  const name = ALIASES.get(variable) ?? variable;
  const read = READERS.get(name);
  return read ? read(event) || `<no-${name}>` : `<unrecognized-variable-${variable}>`;
}

/** Sentry keeps these among the tags. */
function tagOf(event: NormalizedEvent, name: string): string | undefined {
  if (name === "environment" || name === "release" || name === "server_name") return event[name];
  return event.tags?.find(([key]) => key === name)?.[1];
}

const SCRIPT_PLATFORMS = new Set(["javascript", "node", "other"]);

const CHUNK_ERROR =
  /^Loading (?:CSS )?chunk \S{1,100} failed|^Failed to fetch dynamically imported module|^error loading dynamically imported module|^Importing a module script failed/;

const HYDRATION_ERROR =
  /^(?:Hydration failed because|Text content does not match server-rendered HTML|There was an error while hydrating|The server could not finish this Suspense boundary)|Minified React error #(?:418|419|422|423|425)\b/;

/**
 * The name of the one group that an error belongs to whatever its stack: after a deployment, every page that
 * is still open may miss a chunk of code, or disagree with the server's HTML, each at a place of its own.
 */
function builtinGroup(event: NormalizedEvent): string | undefined {
  if (!SCRIPT_PLATFORMS.has(event.platform)) return undefined;
  const main = mainException(event);
  if (!main) return undefined;
  const value = main.value ?? "";
  if (main.type === "ChunkLoadError" || CHUNK_ERROR.test(value)) return "chunk-load-error";
  return HYDRATION_ERROR.test(value) ? "hydration-error" : undefined;
}

/** Cannot occur in what is hashed as one value, so that two lists never read the same. */
const SEPARATOR = "\u001f";

/**
 * The hash of a group: 32 lower-case hex digits over what contributes.
 *
 * @param strategy keeps equal values apart that mean different things
 */
function groupHash(strategy: string, values: readonly string[]): string {
  return md5(strategy + SEPARATOR + values.join(SEPARATOR));
}

/** What was hashed lately: most events belong to few groups. The older half goes when the newer is full. */
let lately = new Map<string, string>();
let before = new Map<string, string>();
const MAX_REMEMBERED = 500;
/** Longer texts are not remembered. */
const MAX_REMEMBERED_LENGTH = 4_000;

/** MD5 as 32 lower-case hex digits: an identity here, not a protection. */
function md5(text: string): string {
  const known = lately.get(text) ?? before.get(text);
  if (known !== undefined) return known;
  const made = hash("md5", text, "hex");
  if (text.length > MAX_REMEMBERED_LENGTH) return made;
  if (lately.size === MAX_REMEMBERED) {
    before = lately;
    lately = new Map();
  }
  lately.set(text, made);
  return made;
}
