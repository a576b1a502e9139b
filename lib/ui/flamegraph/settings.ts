import { shownFrame } from "./frames.ts";
import type { SideNames } from "./words.ts";

/** An address that downloads the graph in some format. */
export interface ExportLink {
  /** As `pprof`, `Collapsed stacks`. */
  readonly label: string;
  readonly href: string;
}

/** Threads whose stacks are known in order of time. */
export interface TimeOrder {
  readonly threads: readonly { readonly id: string; readonly name: string }[];
  /** Answers the chart of a thread (`flameChart` as JSON); `{thread}` stands for its id. */
  readonly href: string;
}

/** What a graph can do besides showing its data; travels to the browser. */
export interface FlameSettings {
  /** What the graph shows, as `CPU time of checkout`. */
  readonly title: string;
  /** Stands before the names of the query's parameters, for pages with several graphs. */
  readonly prefix: string;
  /** Answers with more of the graph for `&path=hash,hash,…` (`flamePayload` as JSON). */
  readonly dataHref: string;
  readonly links: FlameLinks;
  readonly exports: readonly ExportLink[];
  readonly sides: SideNames;
  readonly timeOrder: TimeOrder | null;
}

/**
 * Addresses to which a function leads, as templates: `{name}`, `{file}`, `{line}` stand for what a function has, and
 * `{regexp}` for a regular expression that matches its name exactly. All are written so that they can stand in an
 * address; `{file}` keeps its slashes.
 */
export interface FlameLinks {
  /** Callers and callees of a function. */
  readonly function?: string;
  /** The same graph of the stacks that hold a function. */
  readonly focus?: string;
  /** The same graph without those stacks. */
  readonly ignore?: string;
  /** Source in a repository, such as `https://github.com/acme/shop/blob/main/{file}#L{line}`. */
  readonly source?: string;
  /** What paths of own files begin with, and the repository's do not; `""`: nothing. */
  readonly sourceRoot?: string;
}

interface LinkedFunction {
  readonly name: string;
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
}

/**
 * Fills a template in.
 *
 * @returns null without a template, when it asks for a file that is not known, or when it would lead to a script
 */
export function filledLink(template: string | undefined, at: LinkedFunction): string | null {
  if (template === undefined || !/^(?:https?:\/\/|\/|\?)/.test(template)) return null;
  if (template.includes("{file}") && at.file === "") return null;
  const values: Record<string, string> = {
    name: encodeURIComponent(wellFormed(at.name)),
    file: wellFormed(at.file).replace(/^\.?\/+/, "").split("/").map(encodeURIComponent).join("/"),
    line: String(at.line || 1),
    regexp: encodeURIComponent(`^${wellFormed(at.name).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`),
  };
  return template.replace(/\{(name|file|line|regexp)\}/g, (_, key: string) => values[key] ?? "");
}

/** Lone halves of surrogate pairs make `encodeURIComponent` throw. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** Of others: the project's own repository has none of these. */
const LIBRARY =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|vendor|gems)[/\\]|^(?:node|ext|internal):|^</;
/** Go's own packages, under wherever Go is installed. */
const GO_OWN = /\/(?:go|go\d[\d.]*)\/src\/((?!.*@)[a-z][\w./-]*\.(?:go|s))$/;
/** `…/pkg/mod/github.com/jackc/pgx/v5@v5.9.2/conn.go`: module, version, file. */
const GO_MODULE = /\/pkg\/mod\/([^@]+)@([^/]+)\/(.+)$/;
const GO_PSEUDO_VERSION = /-\d{14}-([0-9a-f]{12})$/;

/**
 * Where the source of a function can be read: in the repository that the project names, else, for Go's own packages,
 * its modules on GitHub and scripts of the web, where everybody finds it.
 *
 * @returns null when nothing tells
 */
export function sourceHref(
  { source, sourceRoot = "" }: Pick<FlameLinks, "source" | "sourceRoot">,
  linked: LinkedFunction,
): string | null {
  const at = shownFrame(linked);
  const own = ownFile(at.file, sourceRoot);
  return (own === null ? null : filledLink(source, { ...at, file: own })) ?? publicSource(at);
}

/** Path of a file in the project's repository; null for files of others. */
function ownFile(file: string, root: string): string | null {
  if (root !== "") return file.startsWith(root) ? file.slice(root.length) : null;
  const isOthers = LIBRARY.test(file) || GO_OWN.test(file) || GO_MODULE.test(file) ||
    /^https?:/.test(file);
  return isOthers ? null : file;
}

function publicSource({ file, line }: LinkedFunction): string | null {
  if (/^https?:\/\/[^/]/.test(file)) return URL.canParse(file) ? new URL(file).href : null;
  const module = GO_MODULE.exec(file);
  if (module) {
    const [, name = "", version = "", path = ""] = module;
    return goModuleSource(name, version, path, line);
  }
  const [, path] = GO_OWN.exec(file) ?? [];
  return path === undefined ? null : `https://go.dev/src/${path}#L${line || 1}`;
}

/** Modules of `golang.org/x` and of GitHub, whose versions are tags; below a repository's root with its path before. */
function goModuleSource(name: string, version: string, path: string, line: number): string | null {
  // Capitals are written as `!c` in the module cache.
  const module = name.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^golang\.org\/x\//, "github.com/golang/");
  const [host, owner, repository, ...rest] = module.split("/");
  if (host !== "github.com" || !owner || !repository) return null;
  const below = rest.filter((part, place) => place < rest.length - 1 || !/^v\d+$/.test(part));
  const plain = version.replace(/\+incompatible$/, "");
  const commit = GO_PSEUDO_VERSION.exec(plain)?.[1];
  const parts = [
    owner,
    repository,
    "blob",
    commit ?? [...below, plain].join("/"),
    ...below,
    ...path.split("/"),
  ];
  const escaped = parts.map((part) => part.split("/").map(encodeURIComponent).join("/"));
  return `https://github.com/${escaped.join("/")}#L${line || 1}`;
}
