import { filledLink, type FlameLinks, type LinkedFunction } from "./links.ts";
import { shownFrame } from "./shown_frame.ts";

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
