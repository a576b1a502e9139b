/** From the lines of a CODEOWNERS file to rules. */
import { plainPath } from "../code/source_link.ts";
import type { OwnershipRule, RuleOwner } from "./rules.ts";
import { t } from "../../core/language/translate.ts";

/** A line of which no rule was made. */
export interface DroppedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** A sentence. */
  readonly reason: string;
}

export interface ConvertedCodeowners {
  readonly rules: readonly OwnershipRule[];
  readonly dropped: readonly DroppedLine[];
  /** Owners of lines that became rules, whom nobody is found for. */
  readonly unknown: readonly string[];
}

/** Where the files of stacks are in the repository. */
export interface Roots {
  readonly stackRoot: string;
  readonly sourceRoot: string;
}

/** Bytes of a file, as GitHub has it. */
export const MAX_CODEOWNERS_BYTES = 3_000_000;
const MAX_SHOWN = 200;

/**
 * Makes rules of a CODEOWNERS file. Its lines are converted as Sentry does it: what it cannot say is dropped, and an
 * anchored path begins with the stack root where it began with the source root.
 *
 * @param ownerOf who an owner of the file (`@user`, `@org/team`, a mail address) is here; null for nobody
 */
export function convertCodeowners(
  raw: string,
  roots: Roots,
  ownerOf: (name: string) => RuleOwner | null,
): ConvertedCodeowners {
  const rules: OwnershipRule[] = [];
  const dropped: DroppedLine[] = [];
  const unknown = new Set<string>();
  for (const [index, whole] of raw.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1;
    const drop = (reason: string) =>
      dropped.push({ line, text: whole.slice(0, MAX_SHOWN), reason });
    const text = whole.replace(/\s#.*$/, "").trim();
    if (text === "" || text.startsWith("#")) continue;
    if (text.startsWith("!")) {
      drop(t("A path that is taken out again (!) has no meaning in CODEOWNERS."));
    } else if (/^\S*\\\s/.test(text)) {
      drop(t("A path with a blank cannot be a rule."));
    } else {
      const [path = "", ...names] = text.split(/\s+/);
      const owners = names.map((name) => ({ name, owner: ownerOf(name) }));
      const known = owners.flatMap(({ owner }) => owner ?? []);
      const missing = owners.filter(({ owner }) => owner === null).map(({ name }) => name);
      if (/[[\]]/.test(path)) {
        drop(t("Brackets in a path mean sections or ranges, which no rule has."));
      } else if (path.includes("#")) drop(t("A path with # cannot be a rule."));
      else if (names.length === 0) drop(t("The line names no owner."));
      else if (known.length === 0) {
        drop(t("Nobody here is {names}.", { names: missing.join(", ").slice(0, MAX_SHOWN) }));
      } else {
        for (const name of missing) unknown.add(name.slice(0, MAX_SHOWN));
        rules.push({ type: "codeowners", pattern: placed(path, roots), owners: known, line });
      }
    }
  }
  return { rules, dropped, unknown: [...unknown].slice(0, MAX_SHOWN) };
}

/** Puts the stack root in the place of the source root of a path that is anchored. */
function placed(path: string, { stackRoot, sourceRoot }: Roots): string {
  const isAnchored = path.slice(0, -1).includes("/") && !path.startsWith("**/");
  if (!isAnchored) return path;
  const inside = trimmed(path);
  const source = trimmed(sourceRoot);
  const isBelow = source === "" || inside === source || inside.startsWith(`${source}/`);
  const rest = isBelow ? inside.slice(source.length) : inside;
  const stack = isBelow ? plainPath(stackRoot) : "";
  const joined = `/${stack}/${rest}`.replaceAll(/\/{2,}/g, "/");
  return path.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined;
}

function trimmed(path: string): string {
  return path.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
}
