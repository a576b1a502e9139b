/** Keys about the versions of releases. */
import { parseVersion } from "../../records/version.ts";
import { type SearchFilter, textOf } from "../../ui/search_tree.ts";
import { anyOf, type IssueNode, type Match } from "./terms.ts";
import { divided, type Unclear } from "./values.ts";
import { message, t } from "../../core/language/translate.ts";

/**
 * What `release.version`, `release.package`, `release.build` and `release.stage` ask for.
 *
 * @param key in lower case
 * @param match the values of the filter as patterns
 */
export function understandVersion(
  key: string,
  filter: SearchFilter,
  match: Match,
): IssueNode | Unclear {
  switch (key) {
    case "release.package":
      return { kind: "version", part: "package", match };
    case "release.build":
      return { kind: "version", part: "build", match };
    case "release.stage":
      return stages(filter);
    default:
      return versions(filter);
  }
}

const STAGES = ["adopted", "low_adoption", "replaced"] as const;

function stages({ values }: SearchFilter): IssueNode | Unclear {
  const nodes: IssueNode[] = [];
  for (const value of values) {
    const stage = STAGES.find((one) => one === textOf(value));
    if (stage === undefined) {
      return { reason: t("A release is {stages}", { stages: STAGES.join(", ") }) };
    }
    nodes.push({ kind: "version", part: "stage", stage });
  }
  return anyOf(nodes);
}

const HELP = message("Write a version, as in >1.2, 1.2.3, shop@2.0 or 1.*");

function versions({ values }: SearchFilter): IssueNode | Unclear {
  const nodes: IssueNode[] = [];
  for (const value of values) {
    if (value.parts.length > 1) {
      nodes.push({ kind: "version", part: "version_text", match: [value.parts] });
      continue;
    }
    const [operator, version] = divided(textOf(value));
    if (parseVersion(comparable(version)) === null) return { reason: t(HELP) };
    nodes.push({ kind: "version", part: "version", operator: operator ?? "=", version });
  }
  return anyOf(nodes);
}

/** `1` alone is a version where one is asked for. */
export function comparable(version: string): string {
  return /^v?\d+$/.test(version) ? `${version}.0` : version;
}
