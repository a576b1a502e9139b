import type {
  Exception,
  Frame,
  NormalizedEvent,
  Stacktrace,
} from "../../formats/sentry/normalized_event.ts";
import type { MappedMethod, MappingFile } from "./mapping_file.ts";

/** A stack deeper than this repeats itself: inlining cannot make it longer. */
const MAX_FRAMES = 1_000;

/** The ids of the mapping files that an event's program was obfuscated with: 32 lower-case hex digits. */
export function proguardIds({ debug_meta: meta }: NormalizedEvent): string[] {
  const ids = (meta?.images ?? []).flatMap(({ type, uuid, debug_id }) => {
    const told = uuid ?? debug_id;
    if (type !== "proguard" || typeof told !== "string") return [];
    const id = told.toLowerCase().replaceAll("-", "");
    return /^[0-9a-f]{32}$/.test(id) ? [id] : [];
  });
  return [...new Set(ids)];
}

/** What of an event is named: all that its threads have to be told. */
export type JvmStacks =
  & Pick<NormalizedEvent, "exception" | "threads" | "stacktrace" | "contexts">
  & {
    raw_stacktrace?: Stacktrace;
  };

/** That part of an event; what `deobfuscate()` makes of it takes its place. */
export function stacksOf(event: NormalizedEvent): JvmStacks {
  const { exception, threads, stacktrace, contexts } = event;
  const { raw_stacktrace: raw } = event as WithStack;
  return {
    ...exception && { exception },
    ...threads && { threads },
    ...stacktrace && { stacktrace },
    ...raw && { raw_stacktrace: raw },
    ...contexts && { contexts },
  };
}

/** An event with the stacks and types that its client sent: naming again begins there. */
export function asSent(event: NormalizedEvent): NormalizedEvent {
  const restored = <T extends WithStack>(holder: T): T => {
    const { raw_stacktrace: raw, ...rest } = holder;
    return raw === undefined ? holder : { ...rest, stacktrace: raw } as T;
  };
  const values = event.exception?.values.map((exception): Exception => {
    const { raw_type: type, raw_module: module, ...rest } = restored(exception);
    if (type === undefined) return rest;
    const { module: _, ...others } = rest;
    return { ...others, type, ...module === undefined ? {} : { module } };
  });
  return {
    ...restored(event as WithStack) as NormalizedEvent,
    ...values && { exception: { ...event.exception, values } },
    ...event.threads && {
      threads: { ...event.threads, values: event.threads.values.map(restored) },
    },
  };
}

/**
 * Gives classes, methods and lines of a JVM event their names in the source, in place. Each frame becomes as many as
 * were inlined into it. The stack as it came stays beside it as `raw_stacktrace`.
 *
 * @param files of the ids that the event names; the first that knows a class tells
 * @returns how many frames and exceptions have a name of the source now
 */
export function deobfuscate(event: JvmStacks, files: readonly MappingFile[]): number {
  const names = new Names(files);
  const app = event.contexts?.app?.app_identifier;
  const appPackage = typeof app === "string" && app.includes(".") ? `${app}.` : null;
  let named = 0;
  const apply = (holder: WithStack, thrown: string | null) => {
    const frames = holder.stacktrace && namedFrames(holder.stacktrace, names, thrown, appPackage);
    if (!frames || !holder.stacktrace) return;
    holder.raw_stacktrace ??= holder.stacktrace;
    holder.stacktrace = { ...holder.stacktrace, frames };
    named += frames.filter(({ data }) => data?.symbolicated === true).length;
  };
  for (const exception of event.exception?.values ?? []) {
    const thrown = className(exception);
    apply(exception, thrown);
    if (nameException(exception, thrown, names)) named++;
  }
  for (const thread of event.threads?.values ?? []) apply(thread, null);
  apply(event, null);
  return named;
}

interface WithStack {
  stacktrace?: Stacktrace;
  raw_stacktrace?: Stacktrace;
}

/** Several mapping files as one. */
class Names {
  constructor(readonly files: readonly MappingFile[]) {}

  classOf(obfuscated: string) {
    return this.#first((file) => file.classOf(obfuscated));
  }

  sourceFileOf(original: string): string | null {
    return this.#first((file) => file.sourceFileOf(original));
  }

  #first<T>(ask: (file: MappingFile) => T | null): T | null {
    for (const file of this.files) {
      const found = ask(file);
      if (found !== null) return found;
    }
    return null;
  }
}

function className({ type, module }: Exception): string | null {
  if (!type) return null;
  return module ? `${module}.${type}` : type;
}

function nameException(exception: Exception, thrown: string | null, names: Names): boolean {
  const found = thrown === null ? null : names.classOf(thrown);
  if (found === null || found.name === thrown) return false;
  const dot = found.name.lastIndexOf(".");
  exception.raw_type = exception.type ?? "";
  if (exception.module !== undefined) exception.raw_module = exception.module;
  exception.type = found.name.slice(dot + 1);
  if (dot > 0) exception.module = found.name.slice(0, dot);
  else delete exception.module;
  return true;
}

/** @returns null when no frame is known */
function namedFrames(
  { frames }: Stacktrace,
  names: Names,
  thrown: string | null,
  appPackage: string | null,
): Frame[] | null {
  let isChanged = false;
  /** In shared code that was taken out of the caller: the line in it. */
  let outlineLine: number | null = null;
  const innermostFirst: Frame[] = [];
  for (const [position, frame] of frames.toReversed().entries()) {
    const found = frame.module === undefined ? null : names.classOf(frame.module);
    if (found === null) {
      outlineLine = null;
      innermostFirst.push(frame);
      continue;
    }
    isChanged = true;
    const methods = found.methods.get(frame.function ?? "") ?? [];
    const matching = matchingMethods(methods, frame.lineno ?? 0, outlineLine);
    outlineLine = null;
    if (matching.methods.length > 0 && matching.methods.every(({ isOutline }) => isOutline)) {
      outlineLine = frame.lineno ?? null;
      continue;
    }
    const written = position === 0 ? visible(matching.methods, thrown) : matching.methods;
    const named = written.length === 0
      ? [{ ...frame, module: found.name, ...fileOf(found.name, frame, names) }]
      : withoutSynthesized(written).map((method) =>
        namedFrame(frame, method, matching.line, names)
      );
    for (const one of named) innermostFirst.push(inApp(symbolicated(one), appPackage));
    if (innermostFirst.length > MAX_FRAMES) break;
  }
  return isChanged && innermostFirst.length > 0 ? innermostFirst.reverse() : null;
}

/** The line to map: that of the frame, or where the caller of shared code really is. */
interface Matching {
  readonly methods: readonly MappedMethod[];
  /** 0: unknown. */
  readonly line: number;
}

/**
 * The methods that a line of an obfuscated one is in, the innermost first. Without a line, or where no lines are told,
 * the name must be one and the same.
 */
function matchingMethods(
  methods: readonly MappedMethod[],
  line: number,
  outlineLine: number | null,
): Matching {
  const ofLine = line > 0 ? methodsOfLine(methods, line) : [];
  const lines = ofLine.at(-1)?.outlineLines ?? null;
  const called = outlineLine === null ? undefined : lines?.[String(outlineLine)];
  if (called !== undefined) return { methods: methodsOfLine(methods, called), line: called };
  if (ofLine.length > 0) return { methods: ofLine, line };
  const unlined = methods.filter((method) => method.lines === null);
  const candidates = unlined.length > 0 ? unlined : outermost(methods);
  const [first] = candidates;
  const isOne = first !== undefined &&
    candidates.every(({ className, name }) => className === first.className && name === first.name);
  return { methods: isOne ? [first] : [], line: unlined.length > 0 ? line : 0 };
}

function methodsOfLine(methods: readonly MappedMethod[], line: number): MappedMethod[] {
  const first = methods.find(({ lines }) => lines !== null && isWithin(line, lines));
  return methods.filter(({ lines }) =>
    lines !== null && lines[0] === first?.lines?.[0] && lines[1] === first.lines[1]
  );
}

function isWithin(line: number, [from, to]: readonly [number, number]): boolean {
  return from <= line && line <= to;
}

/** Of methods that were inlined into one another, those that stand in the class itself. */
function outermost(methods: readonly MappedMethod[]): MappedMethod[] {
  return methods.filter(({ lines }, index) => {
    const next = methods[index + 1];
    return lines?.[0] !== next?.lines?.[0] || lines?.[1] !== next?.lines?.[1];
  });
}

function visible(methods: readonly MappedMethod[], thrown: string | null): readonly MappedMethod[] {
  const hidden = methods.flatMap((method) => method.hidden)
    .find((each) => each.thrown === thrown)?.frames ?? 0;
  return hidden < methods.length ? methods.slice(hidden) : methods;
}

function withoutSynthesized(methods: readonly MappedMethod[]): readonly MappedMethod[] {
  const written = methods.filter(({ isSynthesized }) => !isSynthesized);
  return written.length > 0 ? written : methods;
}

function namedFrame(frame: Frame, method: MappedMethod, line: number, names: Names): Frame {
  const named: Frame = {
    ...frame,
    module: method.className,
    function: method.name,
    ...fileOf(method.className, frame, names),
  };
  const lineno = sourceLine(method, line);
  if (lineno > 0) named.lineno = lineno;
  else delete named.lineno;
  return named;
}

function sourceLine({ lines, sourceLines }: MappedMethod, line: number): number {
  if (sourceLines === null || line <= 0) return sourceLines === null ? line : 0;
  const [from, to] = sourceLines;
  if (lines === null || from === to) return from;
  return Math.min(from + line - lines[0], to);
}

/** Kotlin says so in the file name of the frame, if it was left there. */
function fileOf(className: string, { filename }: Frame, names: Names): Pick<Frame, "filename"> {
  const told = names.sourceFileOf(className);
  if (told !== null) return { filename: told };
  const outer = className.slice(className.lastIndexOf(".") + 1).replace(/\$.*$/, "");
  const extension = filename?.endsWith(".kt") ? "kt" : "java";
  // "FooKt" is what Kotlin makes of functions outside of classes.
  const isKotlinFile = outer.length > 2 && outer.endsWith("Kt");
  if (isKotlinFile) return { filename: `${outer.slice(0, -2)}.kt` };
  return outer === "" ? {} : { filename: `${outer}.${extension}` };
}

function symbolicated(frame: Frame): Frame {
  return { ...frame, data: { ...frame.data, symbolicated: true } };
}

/** SDKs judge by the package, which they could not see. */
function inApp(frame: Frame, appPackage: string | null): Frame {
  const isOurs = appPackage !== null && frame.module?.startsWith(appPackage);
  return isOurs ? { ...frame, in_app: true } : frame;
}
