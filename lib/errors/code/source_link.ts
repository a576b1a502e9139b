/** From the file of a stack frame to its line in a repository. */

import { message } from "../../core/language/translate.ts";

export const CODE_HOSTS = {
  github: { label: message("GitHub"), template: "/blob/{commit}/{path}#L{line}" },
  gitlab: { label: message("GitLab"), template: "/-/blob/{commit}/{path}#L{line}" },
  gitea: { label: message("Gitea or Forgejo"), template: "/src/{ref}/{path}#L{line}" },
  bitbucket: { label: message("Bitbucket"), template: "/src/{commit}/{path}#lines-{line}" },
  custom: { label: message("Another"), template: "" },
} as const;

export type CodeHost = keyof typeof CODE_HOSTS;

/** What a mapping says of the files of a project. */
export interface CodeRule {
  readonly repository: string;
  /** An http address with `{commit}` or `{ref}`, `{path}` and `{line}` in it. */
  readonly urlTemplate: string;
  /** What paths in stacks begin with; `""`: all do. */
  readonly stackRoot: string;
  /** What stands there in the repository. */
  readonly sourceRoot: string;
  readonly defaultBranch: string;
}

/** A frame, as far as it says where its code is. */
export interface PlacedFrame {
  readonly file: string;
  /** The whole path, or `""`. */
  readonly path: string;
  /** From 1; null when unknown. */
  readonly line: number | null;
}

export interface SourceLink<Rule extends CodeRule = CodeRule> {
  readonly rule: Rule;
  /** In the repository. */
  readonly path: string;
  readonly url: string;
}

/**
 * The line of a frame in its repository, by the rule with the longest stack root that fits.
 *
 * @param commitOf the commit of the release in a repository; null: the default branch is shown
 * @returns null when no rule fits, or the path leads out of the repository
 */
export function sourceLink<Rule extends CodeRule>(
  frame: PlacedFrame,
  rules: readonly Rule[],
  commitOf: (repository: string) => string | null,
): SourceLink<Rule> | null {
  const paths = [frame.file, frame.path].map(plainPath).filter((path) => path !== "");
  const fitting = rules.toSorted((a, b) => b.stackRoot.length - a.stackRoot.length);
  for (const rule of fitting) {
    for (const stackPath of paths) {
      const path = pathIn(rule, stackPath);
      if (path === null) continue;
      const url = urlOf(rule, path, frame.line, commitOf(rule.repository));
      if (url !== null) return { rule, path, url };
    }
  }
  return null;
}

/** A path without what bundlers and runtimes put before it. */
export function plainPath(text: string): string {
  return text.replaceAll("\\", "/")
    .replace(/[?#].*$/, "")
    .replace(
      /^(?:webpack(?:-internal)?:\/\/\/?(?:[\w@-]+(?=\/\.\/)\/)?|app:\/\/\/?|file:\/\/|~\/)/,
      "",
    )
    .replace(/^(?:\.\/)+/, "");
}

function pathIn({ stackRoot, sourceRoot }: CodeRule, stackPath: string): string | null {
  const root = plainPath(stackRoot);
  if (!stackPath.startsWith(root)) return null;
  const rest = stackPath.slice(root.length);
  // `src` is the beginning of `src/cart.ts`, and not that of `srcold/cart.ts`.
  if (root !== "" && !root.endsWith("/") && !rest.startsWith("/")) return null;
  const joined = sourceRoot === "" ? rest : `${sourceRoot}/${rest}`;
  const parts = joined.split("/").filter((part) => part !== "" && part !== ".");
  const isInside = parts.length > 0 && !parts.includes("..") && !/^[\w+.-]+:/.test(parts[0] ?? "");
  // An address or a place on a disk is no path of a repository, unless a root says what it stands for.
  return isInside && (root !== "" || !stackPath.startsWith("/")) ? parts.join("/") : null;
}

function urlOf(
  { urlTemplate, defaultBranch }: CodeRule,
  path: string,
  line: number | null,
  commit: string | null,
): string | null {
  const encode = (text: string) =>
    text.split("/").map((part) => encodeURIComponent(part.toWellFormed())).join("/");
  const values: Readonly<Record<string, string>> = {
    commit: encode(commit ?? defaultBranch),
    ref: commit === null ? `branch/${encode(defaultBranch)}` : `commit/${encode(commit)}`,
    path: encode(path),
    line: String(line ?? 1),
  };
  const text = urlTemplate.replaceAll(
    /\{(commit|ref|path|line)\}/g,
    (_, name) => values[name] ?? "",
  );
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** The commit that a release is named by, as tools do that call it after what was built; null for other names. */
export function commitInName(version: string): string | null {
  return /(?:^|[@+])([0-9a-f]{40})$/i.exec(version)?.[1]?.toLowerCase() ?? null;
}
