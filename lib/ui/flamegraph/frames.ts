import type { FlameFrames } from "./flame_tree.ts";

/** What stands for the root, which is no function. */
const ROOT_NAME = "all";

/** Name of a function as it is shown. */
export function nameOf(frames: FlameFrames, frame: number): string {
  return frame === 0 ? ROOT_NAME : shownOf(frames, frame).name || "<unknown>";
}

/** Source file of a function, or `""`. */
export function fileOf({ files, fileOf }: FlameFrames, frame: number): string {
  return files[fileOf[frame] ?? 0] ?? "";
}

/** Where a function stands: `file:line`, the file alone, or `""`. */
export function placeOf(frames: FlameFrames, frame: number): string {
  const { file, line } = shownOf(frames, frame);
  return file === "" || line === 0 ? file : `${file}:${line}`;
}

/** Name, file and line of a function as they are shown; paths, filters and links go by what profiles say. */
function shownOf(frames: FlameFrames, frame: number): ShownFrame {
  return shownFrame({
    name: frames.names[frame] ?? "",
    file: fileOf(frames, frame),
    line: frames.lines[frame] ?? 0,
  });
}

/** Module, package or binary of a function, or `""`. */
export function moduleOf({ modules, moduleOf }: FlameFrames, frame: number): string {
  return modules[moduleOf[frame] ?? 0] ?? "";
}

/** The package of a function by the names that are shown, else its file: a program of one file has no directory. */
export function packageNameOf(frames: FlameFrames, frame: number): string {
  const shown = shownOf(frames, frame);
  return packageOf({ ...shown, module: moduleOf(frames, frame) }) || shown.file;
}

/**
 * A name in so many characters: whole, else without the path of its package, else cut with an ellipsis. Empty when
 * not even three characters fit.
 */
export function fitted(name: string, room: number): string {
  if (name.length <= room) return name;
  const short = withoutPath(name);
  if (short.length <= room) return short;
  // A lone half of a surrogate pair would be drawn as a box.
  return room < 3 ? "" : `${short.slice(0, room - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `github.com/lib/pq.(*conn).Query` → `pq.(*conn).Query`. Arguments and generics may have slashes of their own. */
function withoutPath(name: string): string {
  const head = /^[^\s(<[]*/.exec(name)?.[0] ?? "";
  return name.slice(head.lastIndexOf("/", head.length - 2) + 1);
}

/** What a function is called and where it stands, as people are shown it. */
interface ShownFrame {
  readonly name: string;
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
}

/** `price_of (main.py:6)`, as py-spy writes frames of collapsed stacks; without `:6` under `--function`. */
const PY_SPY = /^(.{1,500}) \(([^()]{1,500}\.py|<[^()<>]{1,100}>)(?::(\d{1,9}))?\)$/;
/** `./main.cjs:priceOf:13`, as `@pyroscope/nodejs` names functions. */
const PYROSCOPE_NODE = /^([^:]{1,500}\.[cm]?[jt]sx?|node:[\w/.-]{1,100}):([^:]{0,500}):(\d{1,9})$/;

/** Takes apart names into which agents have put the file and the line; others stay as they are. */
export function shownFrame(frame: ShownFrame): ShownFrame {
  const { name, file, line } = frame;
  // Boxes ask with every picture, and hardly any name ends like these.
  if (file === "" && name.endsWith(")")) {
    const [, bare, path, at] = PY_SPY.exec(name) ?? [];
    return bare === undefined || path === undefined
      ? frame
      : { name: bare, file: path, line: Number(at ?? 0) };
  }
  if (!/\d$/.test(name) || !name.includes(":")) return frame;
  const [, path, bare, at] = PYROSCOPE_NODE.exec(name) ?? [];
  if (path === undefined) return frame;
  const isItsFile = file === "" || file.endsWith(path.replace(/^\.{0,2}\//, ""));
  if (!isItsFile) return frame;
  return { name: bare || "(anonymous)", file: file || path, line: line || Number(at) };
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)(?:[?#].*)?$|^(?:node|ext|internal|deno|bun|https?):/;
const NODE_MODULE = /^.*[/\\]?node_modules[/\\](@[^/\\]+[/\\][^/\\]+|[^/\\]+)/;
const PYTHON_LIBRARY = /[/\\](?:site|dist)-packages[/\\]([^/\\]+)/;
const PYTHON_OWN_LIBRARY = /[/\\][Ll]ib(?:64)?[/\\]python\d[\d.]*[/\\]([^/\\]+)/;
const RUBY_GEM = /[/\\]gems[/\\]((?:[^/\\-]|-(?!\d))+)-\d[^/\\]*[/\\]/;
const RUBY_OWN_LIBRARY = /[/\\]lib[/\\]ruby[/\\](?:\d[^/\\]*[/\\])?([^/\\]+)/;
const PHP_VENDOR = /[/\\]vendor[/\\]([^/\\]+)[/\\]([^/\\]+)[/\\]/;
const JVM_FILE = /\.(?:java|kt|kts|scala|groovy|clj)$/;
const JVM_CLASS = /^(?:[a-z_][\w$]*\.)+[A-Z]/;
const JVM_NAME = /^(?:[a-z_][\w$]*\.){2,}/;
/** Binaries and shared libraries, whose names say less than any other hint. */
const UNSYMBOLISED = /^(?:(\[[^\]]+\])(?: |$)|0x[0-9a-f]+$)/;
const KERNEL = /^\[(?:kernel|guest\.kernel|vdso|vsyscall|k\b).*\]$|_\[k\]$/;
const COLLECTOR = /^\(?garbage collect(?:or|ion)\)?$/i;
const MACHINE = /^\((?:program|idle|root)\)$/;
/** Texts come from anybody, and time must not grow with them. */
const MAX_LENGTH = 1_000;

/** What languages tell of a function; texts are `""` when unknown. */
interface NamedFunction {
  readonly name: string;
  readonly file: string;
  readonly module: string;
}

/**
 * The package of a function: import path of Go and Python, npm's name, Java's package, namespace of PHP, crate or
 * outermost namespace of Rust and C++, gem, else the directory of its file, else its module. Kernels, collectors and
 * virtual machines are `[kernel]`, `[gc]` and `[vm]`.
 *
 * @returns `""` when nothing tells
 */
export function packageOf(frame: NamedFunction): string {
  const [name, file, module] = [frame.name, frame.file, frame.module]
    .map((text) => text.slice(0, MAX_LENGTH)) as [string, string, string];
  return system(name, module) ?? byFile(name, file, module) ?? byName(name, module) ??
    (directory(file) || module);
}

function system(name: string, module: string): string | undefined {
  if (COLLECTOR.test(name)) return "[gc]";
  if (MACHINE.test(name)) return "[vm]";
  if (KERNEL.test(module) || KERNEL.test(name)) return "[kernel]";
  const unsymbolised = UNSYMBOLISED.exec(name);
  return unsymbolised ? module || unsymbolised[1]?.slice(1, -1) : undefined;
}

function byFile(name: string, file: string, module: string): string | undefined {
  if (file === "") return undefined;
  if (/\.(?:go|s)$/.test(file)) return goPackage(name) ?? directory(file);
  if (SCRIPT.test(file) || NODE_MODULE.test(file)) return scriptPackage(file);
  if (/\.py[cx]?$/.test(file) || file.startsWith("<frozen ")) return pythonPackage(file, module);
  if (/\.rbx?$/.test(file) || file.startsWith("<internal:")) return rubyPackage(file);
  if (/\.php$/.test(file)) return phpPackage(name, file, module);
  if (file.startsWith("internal/")) return "node";
  if (JVM_FILE.test(file)) return dotted(module || name);
  return undefined;
}

function byName(name: string, module: string): string | undefined {
  if (/^<?&?[\w<>&* ]*\w::/.test(name)) return /(\w+)::/.exec(name)?.[1];
  if (/^[\w\\]+\\\w+(?:::|\b)/.test(name)) return name.slice(0, name.lastIndexOf("\\"));
  if (/^[\w.]+!/.test(name)) return /^([\w.]+)!/.exec(name)?.[1];
  const path = name.split(/[[(]/, 1)[0] ?? "";
  // Java's profilers write `java/lang/Thread.run`; Go's packages do not begin with a capital.
  if (/\/[A-Z][^/]*$/.test(path)) return dotted(path.replaceAll("/", "."));
  if (path.includes("/")) return goPackage(name);
  if (JVM_NAME.test(name)) return dotted(name);
  if (/^(?:main|runtime|sync|syscall)\.\w/.test(name)) return goPackage(name);
  if (JVM_CLASS.test(module)) return dotted(module);
  return undefined;
}

/** `github.com/lib/pq.(*conn).Query` → `github.com/lib/pq`; type arguments have paths of their own. */
function goPackage(name: string): string | undefined {
  const head = name.split(/[[(]/, 1)[0] ?? "";
  const dot = head.indexOf(".", head.lastIndexOf("/") + 1);
  // Dots in the last part of a path are escaped, as in `gopkg.in/yaml%2ev3.Unmarshal`.
  return dot > 0 ? head.slice(0, dot).replaceAll("%2e", ".") : undefined;
}

function scriptPackage(file: string): string {
  const npm = NODE_MODULE.exec(file)?.[1];
  if (npm !== undefined) return npm.replace("\\", "/");
  if (file.startsWith("node:") || file.startsWith("internal/")) return "node";
  const own = /^(ext|internal|deno|bun):/.exec(file)?.[1];
  return own ?? directory(file.replace(/[?#].*$/, ""));
}

function pythonPackage(file: string, module: string): string {
  const library = PYTHON_LIBRARY.exec(file) ?? PYTHON_OWN_LIBRARY.exec(file);
  if (library) return library[1]?.replace(/\.py[cx]?$/, "") ?? "";
  const frozen = /^<frozen ([^>]+)>/.exec(file)?.[1];
  if (frozen !== undefined) return frozen.split(".", 1)[0] ?? frozen;
  // A module of the program ends like its file; a binary does not.
  const path = file.replace(/(?:[/\\]__init__)?\.py[cx]?$/, "").replaceAll("\\", "/");
  const isModule = module !== "" && path.endsWith(module.replaceAll(".", "/"));
  return isModule ? module : directory(file);
}

function rubyPackage(file: string): string {
  if (file.startsWith("<internal:")) return "ruby";
  return RUBY_GEM.exec(file)?.[1] ??
    RUBY_OWN_LIBRARY.exec(file)?.[1]?.replace(/\.rb$/, "") ?? directory(file);
}

function phpPackage(name: string, file: string, module: string): string {
  const vendor = PHP_VENDOR.exec(file);
  if (vendor) return `${vendor[1]}/${vendor[2]}`;
  const place = name.includes("\\") ? name : module;
  return place.includes("\\") ? place.slice(0, place.lastIndexOf("\\")) : directory(file);
}

/** `com.example.shop.Cart.add` → `com.example.shop`: classes begin with a capital. */
function dotted(name: string): string | undefined {
  const parts = (name.split("(", 1)[0] ?? "").split(".");
  const type = parts.findIndex((part) => /^[A-Z]/.test(part));
  const count = type < 0 ? parts.length - 1 : type;
  return count > 0 ? parts.slice(0, count).join(".") : undefined;
}

function directory(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/"), file.lastIndexOf("\\")));
}
