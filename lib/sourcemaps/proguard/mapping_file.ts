/**
 * The mapping files of ProGuard and R8: which class, method and line of the source an obfuscated one is. Format: the
 * ProGuard manual ("ReTrace") and R8's "Retrace mapping" with the information in its comments.
 */

/** What one line of a mapping file says of a method. */
export interface MappedMethod {
  /** Lines of the obfuscated program that it holds for, both included; null: for all of them. */
  readonly lines: readonly [from: number, to: number] | null;
  /** With the package; another than the class that it stands in when the method was inlined from there. */
  readonly className: string;
  readonly name: string;
  /** Lines of the source, both included; null: the same as in the obfuscated program. */
  readonly sourceLines: readonly [from: number, to: number] | null;
  /** The compiler made it: people did not write it. */
  isSynthesized: boolean;
  /** Shared code that the compiler took out of several methods: the caller knows where it really is. */
  isOutline: boolean;
  /** Of a call of such code: the line of this method, by the line in the shared code. */
  outlineLines: Readonly<Record<string, number>> | null;
  /** How many of the innermost frames are none, when one of these classes (`a.b.C`) is thrown here. */
  hidden: readonly { readonly thrown: string; readonly frames: number }[];
}

export interface MappedClass {
  /** With the package. */
  readonly name: string;
  /** Name of the file it was written in, where the mapping tells; else null. */
  readonly sourceFile: string | null;
  /** By obfuscated name. Methods of the same lines stand one behind the other, the innermost first. */
  readonly methods: ReadonlyMap<string, readonly MappedMethod[]>;
}

/** More than any program has; what is longer is not a mapping file. */
const MAX_LINE = 20_000;
const KEPT_CLASSES = 500;

/**
 * A mapping file, of which only those classes are read that are asked for: files have up to some hundred megabytes, and
 * a stack names a few dozen classes.
 */
export class MappingFile {
  readonly #text: string;
  /** Where the section of a class begins, by obfuscated name; and the obfuscated name by the original one. */
  readonly #starts = new Map<string, number>();
  readonly #obfuscated = new Map<string, string>();
  readonly #read = new Map<string, MappedClass>();

  constructor(bytes: Uint8Array) {
    this.#text = new TextDecoder().decode(bytes);
    for (const { start, line } of linesOf(this.#text, 0)) {
      const found = classLine(line);
      if (found === null) continue;
      this.#starts.set(found.obfuscated, start);
      this.#obfuscated.set(found.original, found.obfuscated);
    }
  }

  /** How many classes it names; none: it is no mapping file. */
  get size(): number {
    return this.#starts.size;
  }

  /** A class by its obfuscated name, as `a.b.c`; null when the file does not name it. */
  classOf(obfuscated: string): MappedClass | null {
    const known = this.#read.get(obfuscated);
    if (known !== undefined) return known;
    const start = this.#starts.get(obfuscated);
    if (start === undefined) return null;
    const found = readClass(this.#text, start);
    if (this.#read.size >= KEPT_CLASSES) this.#read.clear();
    this.#read.set(obfuscated, found);
    return found;
  }

  /** The file that a class was written in, by its original name; null when the mapping does not tell. */
  sourceFileOf(original: string): string | null {
    const obfuscated = this.#obfuscated.get(original);
    return obfuscated === undefined ? null : this.classOf(obfuscated)?.sourceFile ?? null;
  }
}

function* linesOf(text: string, from: number): Generator<{ start: number; line: string }> {
  for (let start = from; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    if (end - start <= MAX_LINE) yield { start, line: text.slice(start, end).trimEnd() };
    start = end + 1;
  }
}

/** `com.acme.Cart -> a.b.c:` */
function classLine(line: string): { original: string; obfuscated: string } | null {
  if (!line.endsWith(":") || /^[\s#]/.test(line)) return null;
  const arrow = line.indexOf(" -> ");
  if (arrow < 1) return null;
  return { original: line.slice(0, arrow), obfuscated: line.slice(arrow + 4, -1) };
}

function readClass(text: string, start: number): MappedClass {
  const lines = linesOf(text, start);
  const name = classLine(lines.next().value?.line ?? "")?.original ?? "";
  const methods = new Map<string, MappedMethod[]>();
  let sourceFile: string | null = null;
  let isSynthesized = false;
  let last: MappedMethod | null = null;
  for (const { line } of lines) {
    const trimmed = line.trimStart();
    if (trimmed.startsWith("#")) {
      const note = noteOf(trimmed);
      if (last !== null) addNote(last, note);
      else if (note?.id === "sourceFile") sourceFile = String(note.fileName ?? "") || null;
      else if (note?.id === "com.android.tools.r8.synthesized") isSynthesized = true;
      continue;
    }
    if (trimmed === line && line !== "") break;
    const found = methodLine(trimmed, name);
    if (found === null) continue;
    last = { ...found.method, isSynthesized };
    const same = methods.get(found.obfuscated);
    if (same === undefined) methods.set(found.obfuscated, [last]);
    else same.push(last);
  }
  return { name, sourceFile, methods };
}

/** `1:3:void add(int,java.lang.String):20:22 -> a`; fields have no parentheses, and do not stand in stacks. */
const METHOD =
  /^(?:(\d{1,9}):(\d{1,9}):)?[^\s(]{1,1000} ([^\s(]{1,1000})\([^)]{0,15000}\)(?::(\d{1,9}))?(?::(\d{1,9}))? -> (\S{1,1000})$/;

function methodLine(
  line: string,
  className: string,
): { readonly obfuscated: string; readonly method: MappedMethod } | null {
  const match = METHOD.exec(line);
  if (match === null) return null;
  const [, from, to, path = "", sourceFrom, sourceTo, obfuscated = ""] = match;
  const dot = path.lastIndexOf(".");
  return {
    obfuscated,
    method: {
      lines: from === undefined ? null : [Number(from), Number(to)],
      className: dot < 0 ? className : path.slice(0, dot),
      name: path.slice(dot + 1),
      sourceLines: sourceFrom === undefined
        ? null
        : [Number(sourceFrom), Number(sourceTo ?? sourceFrom)],
      isSynthesized: false,
      isOutline: false,
      outlineLines: null,
      hidden: [],
    },
  };
}

type Note = Readonly<Record<string, unknown>> | null;

function noteOf(comment: string): Note {
  try {
    const value: unknown = JSON.parse(comment.slice(1));
    return typeof value === "object" ? value as Note : null;
  } catch {
    return null;
  }
}

/** What R8 says of the method of the line before. */
function addNote(method: MappedMethod, note: Note): void {
  switch (note?.id) {
    case "com.android.tools.r8.synthesized":
      method.isSynthesized = true;
      break;
    case "com.android.tools.r8.outline":
      method.isOutline = true;
      break;
    case "com.android.tools.r8.outlineCallsite":
      method.outlineLines = asRecord(note.positions);
      break;
    case "com.android.tools.r8.rewriteFrame":
      method.hidden = [...method.hidden, ...hiddenBy(note)];
  }
}

function asRecord(value: unknown): Record<string, number> | null {
  if (typeof value !== "object" || value === null) return null;
  return Object.fromEntries(
    Object.entries(value).filter(([, line]) => Number.isSafeInteger(line)),
  );
}

/** `throws(Ljava/lang/NullPointerException;)` with `removeInnerFrames(1)`; R8 writes no other conditions and actions. */
function hiddenBy({ conditions, actions }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(conditions) || !Array.isArray(actions)) return [];
  const frames = Number(/^removeInnerFrames\((\d{1,3})\)$/.exec(String(actions[0]))?.[1] ?? 0);
  return conditions.flatMap((condition) => {
    const thrown = /^throws\(L([^;]{1,1000});\)$/.exec(String(condition))?.[1];
    return thrown === undefined ? [] : [{ thrown: thrown.replaceAll("/", "."), frames }];
  });
}
