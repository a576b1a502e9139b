import { isInApp } from "../../formats/sentry/frames.ts";
import { type Language, languageOfFile } from "../../ui/components/highlight.ts";
import {
  asCount,
  asEntries,
  asList,
  asObject,
  asObjects,
  asText,
  type JsonObject,
} from "../../ui/json.ts";
import { problemWords } from "../../sourcemaps/mod.ts";
import { t } from "../../core/language/translate.ts";

/** One line of source around a frame. */
export interface SourceLine {
  /** Null when the frame does not know its line number. */
  readonly number: number | null;
  readonly text: string;
  readonly isCurrent: boolean;
}

export interface Frame {
  /** As the platform's people write it, `com.acme.Cart.total` or `checkout`; `""` when unknown. */
  readonly name: string;
  /** Short form of the file, `""` when unknown. */
  readonly file: string;
  /** Full path or address of the file, `""` when it says no more than `file`. */
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly isInApp: boolean;
  readonly source: readonly SourceLine[];
  readonly variables: readonly (readonly [name: string, value: unknown])[];
  /** Binary, address and the like, for those who open the frame. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly language: Language;
  /** How many times this very call repeats without another between; 1 as a rule. */
  readonly repeats: number;
  /** Frames right below this one that were left out when the event was stored; 0 as a rule. */
  readonly omittedBelow: number;
  /** Its source and variables did not fit on the page. */
  readonly isCut: boolean;
  /** Why source maps did not find its place, one sentence; `""` when they did, or are of no use. */
  readonly unmapped: string;
  /** Its line in a repository; null as long as nobody has looked, or there is none. */
  readonly code: { readonly url: string; readonly label: string } | null;
}

/** Platforms whose people write the module before the function. */
const QUALIFYING = new Set([
  "java",
  "kotlin",
  "scala",
  "groovy",
  "clojure",
  "csharp",
  "go",
  "elixir",
]);

/** For files whose name does not tell, as PHP's `handler` or a page's inline script. */
const LANGUAGE_OF_PLATFORM: ReadonlyMap<string, Language> = new Map([
  ["javascript", "javascript"],
  ["node", "javascript"],
  ["python", "python"],
  ["php", "php"],
  ["go", "go"],
  ["ruby", "ruby"],
  ["java", "java"],
]);

/**
 * The frames of a Sentry `stacktrace`, newest call first (it stores them oldest first), with consecutive
 * repeats of one call folded into one.
 *
 * @param platform of the event, for frames that name none themselves
 */
export function framesOf(stacktrace: unknown, platform: string): readonly Frame[] {
  const trace = asObject(stacktrace) ?? {};
  const [first, end] = asList(trace.frames_omitted).map(asCount);
  const raw = asObjects(trace.frames).map((one, index) => ({
    ...frameOf(one, platform),
    omittedBelow: index === first ? Math.max(0, (end ?? 0) - first) : 0,
  }));
  const frames: Frame[] = [];
  for (const frame of raw.reverse()) {
    const newer = frames.at(-1);
    if (newer && isSameCall(newer, frame)) {
      frames[frames.length - 1] = { ...newer, repeats: newer.repeats + 1 };
    } else {
      frames.push(frame);
    }
  }
  return frames;
}

function frameOf(raw: JsonObject, eventPlatform: string): Frame {
  const platform = asText(raw.platform) || eventPlatform;
  const absolute = asText(raw.abs_path);
  const file = asText(raw.filename) || absolute;
  const module = asText(raw.module);
  const line = asCount(raw.lineno);
  return {
    name: qualifiedName(asText(raw.function), module, platform),
    file: file || module,
    path: absolute === file ? "" : absolute,
    line: line === 0 ? null : line,
    column: asCount(raw.colno),
    isInApp: isInApp({
      function: asText(raw.function),
      module,
      filename: asText(raw.filename),
      abs_path: absolute,
      in_app: raw.in_app === true,
    }, platform),
    source: sourceOf(raw, line),
    variables: asEntries(raw.vars),
    facts: factsOf(raw),
    language: languageOf(file, platform),
    repeats: 1,
    omittedBelow: 0,
    isCut: false,
    unmapped: problemWords(asText(asObject(raw.data)?.unmapped_reason)),
    code: null,
  };
}

function qualifiedName(name: string, module: string, platform: string): string {
  if (name === "?" || name === "") return "";
  const isQualified = module === "" || name.startsWith(`${module}.`);
  return isQualified || !QUALIFYING.has(platform) ? name : `${module}.${name}`;
}

function sourceOf(raw: JsonObject, line: number | null): SourceLine[] {
  if (typeof raw.context_line !== "string") return [];
  const before = sourceTexts(raw.pre_context);
  const after = sourceTexts(raw.post_context);
  const texts = [...before, asText(raw.context_line), ...after];
  return texts.map((text, index) => ({
    number: line === null ? null : line - before.length + index,
    text,
    isCurrent: index === before.length,
  }));
}

/** Unlike other lists, an empty or null line holds its place: numbers are counted from it. */
function sourceTexts(lines: unknown): string[] {
  return Array.isArray(lines) ? lines.map(asText) : [];
}

function factsOf(raw: JsonObject): [string, string][] {
  const data = asObject(raw.data) ?? {};
  const facts: [string, unknown][] = [
    [t("Package"), raw.package],
    [t("Symbol"), raw.symbol],
    [t("Address"), raw.instruction_addr],
    [t("Trust"), raw.trust],
    [t("Source map"), data.sourcemap],
    [t("Found by"), asText(data.resolved_with)],
    [t("Shifted"), data.shifted === true ? t("by a line that only the uploaded file has") : ""],
    [t("Before mapping"), originalPlace(data)],
  ];
  return facts.map(([label, value]): [string, string] => [label, asText(value)])
    .filter(([, value]) => value !== "");
}

/** Where a source-mapped frame lay in the minified file. */
function originalPlace(data: JsonObject): string {
  const file = asText(data.orig_filename);
  if (file === "") return "";
  return [file, asText(data.orig_lineno), asText(data.orig_colno)].filter(Boolean).join(":");
}

function languageOf(file: string, platform: string): Language {
  const byName = languageOfFile(file);
  return byName === "text" ? LANGUAGE_OF_PLATFORM.get(platform) ?? "text" : byName;
}

function isSameCall(a: Frame, b: Frame): boolean {
  return a.omittedBelow + b.omittedBelow === 0 && a.name === b.name && a.file === b.file &&
    a.line === b.line && a.column === b.column &&
    (a.name !== "" || a.line !== null);
}

/** Frames as the page lays them out: each by itself, or a run of library frames folded behind one line. */
export type FrameGroup =
  | { readonly kind: "frame"; readonly frame: Frame; readonly isOpen: boolean }
  | { readonly kind: "run"; readonly frames: readonly Frame[]; readonly origins: readonly string[] }
  /** Frames that were left out when the event was stored. */
  | { readonly kind: "gap"; readonly count: number };

/** `app`: runs of library frames are folded · `all`: every frame stands by itself. */
export type FrameMode = "app" | "all";

/** A single library frame costs no more room than the line that would fold it. */
const MIN_RUN = 2;
const MAX_ORIGINS = 3;

/**
 * Lays out a stack for reading: the newest frame always stands by itself, because that is where it broke;
 * the newest frame of the app is open; runs of library frames between are folded. A stack without any
 * frame of the app is shown whole, with its newest frame open.
 *
 * @param frames newest first
 */
export function groupFrames(frames: readonly Frame[], mode: FrameMode): FrameGroup[] {
  const firstInApp = frames.findIndex((frame) => frame.isInApp);
  const open = Math.max(firstInApp, 0);
  const foldsRuns = mode === "app" && firstInApp !== -1;
  const groups: FrameGroup[] = [];
  let run: Frame[] = [];
  const endRun = () => {
    if (run.length >= MIN_RUN) groups.push({ kind: "run", frames: run, origins: originsOf(run) });
    else groups.push(...run.map((frame) => ({ kind: "frame" as const, frame, isOpen: false })));
    run = [];
  };
  frames.forEach((frame, index) => {
    if (foldsRuns && !frame.isInApp && index > 0) {
      run.push(frame);
    } else {
      endRun();
      groups.push({ kind: "frame", frame, isOpen: index === open });
    }
    if (frame.omittedBelow > 0) {
      endRun();
      groups.push({ kind: "gap", count: frame.omittedBelow });
    }
  });
  endRun();
  return groups;
}

/** The same layout read from the oldest call to the newest. */
export function oldestFirst(groups: readonly FrameGroup[]): FrameGroup[] {
  return groups.toReversed().map((group) =>
    group.kind === "run" ? { ...group, frames: group.frames.toReversed() } : group
  );
}

/** The libraries that a run passes through, most frames first. */
function originsOf(frames: readonly Frame[]): string[] {
  const counts = new Map<string, number>();
  for (const frame of frames) {
    const origin = originOf(frame);
    if (origin !== "") counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_ORIGINS).map(([name]) => name);
}

const PACKAGE_PATHS = [
  // npm, also behind pnpm's and yarn's own folders: the last node_modules is the one that counts.
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/,
  /\/(?:site|dist)-packages\/([^/.]+)/,
  /(?:^|\/)vendor\/([^/]+\/[^/]+)/,
  /\/pkg\/mod\/([^@]+)@/,
  /.*\/gems\/([^/]+?)-\d[^/]*\//,
  /\/lib\/python[\d.]+\/(\w+)/,
  /^(node:[^/]+)/,
];

/** The package a library frame belongs to, `""` when neither its path nor its name tells. */
export function originOf({ name, file, path }: Pick<Frame, "name" | "file" | "path">): string {
  for (const text of [path, file]) {
    for (const pattern of PACKAGE_PATHS) {
      const found = pattern.exec(text)?.[1];
      if (found) return found;
    }
  }
  const isJvm = /\.(?:java|kt|scala|groovy)$/.test(file);
  return isJvm ? /^[a-z]\w*\.[a-z]\w*(?=\.)/.exec(name)?.[0] ?? "" : "";
}
