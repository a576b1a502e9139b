/** Comparisons for the routes that answer a graph's script and downloads. */
import type { DiffTree } from "../trees/stack_profile.ts";
import type { MergeServices } from "../load_selection.ts";
import { readGraphRequest } from "../read_graph.ts";
import { typeName } from "../words.ts";
import { comparedTree } from "./diff_tree.ts";
import { readEnds } from "./ends.ts";
import { endSelections, mergeBoth, readScale } from "./load_compare.ts";

export interface ReadComparison {
  readonly tree: DiffTree;
  /** As `CPU time, what changed`. */
  readonly title: string;
}

/**
 * Compares the two ends that an address tells, both of them in full.
 *
 * @returns or what is wrong, in a sentence
 * @throws as `sharedMerge()`
 */
export async function readComparison(
  services: MergeServices,
  projectId: string,
  query: URLSearchParams,
): Promise<ReadComparison | string> {
  const asked = await readGraphRequest(services, projectId, query);
  if (typeof asked === "string") return asked;
  const { params, selection: { kind, type }, side } = asked;
  const ends = readEnds(query, [], new Date());
  if (ends.problem !== null) return `base: ${ends.problem}`;
  const [before, after] = endSelections(projectId, ends, params, { kind, type });
  const both = await mergeBoth(services, before, after);
  return {
    tree: comparedTree(both, type, readScale(query), params.shape, side),
    title: `${typeName(type)}, what changed`,
  };
}
