/** Which package a function belongs to, by what languages name theirs. Used in browsers as well. */
import type { Frame } from "../../profiles/trees/stack_profile.ts";

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

/**
 * The package of a function: import path of Go and Python, npm's name, Java's package, namespace of PHP, crate or
 * outermost namespace of Rust and C++, gem, else the directory of its file, else its module. Kernels, collectors and
 * virtual machines are `[kernel]`, `[gc]` and `[vm]`.
 *
 * @returns `""` when nothing tells
 */
export function packageOf(frame: Frame): string {
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
