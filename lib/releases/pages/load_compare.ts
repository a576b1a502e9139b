import type { Sql } from "../../store/database.ts";
import { MAX_RELEASES } from "../health.ts";
import { listVersions } from "../releases.ts";
import type { PageScope } from "../request_scope.ts";
import {
  type ComparedTransaction,
  compareTransactions,
  readFigures,
  type ReleaseFigures,
} from "./load_release.ts";

/** Two releases beside each other; without names, what there is to choose from. */
export interface ComparedReleases {
  /** What the other is compared with; `""` as long as none is chosen. */
  readonly base: string;
  readonly version: string;
  readonly versions: readonly string[];
  readonly figures: readonly [base: ReleaseFigures, version: ReleaseFigures] | null;
  readonly transactions: readonly ComparedTransaction[];
}

/** Reads the comparison that an address asks for; names that the project has not count as not chosen. */
export async function loadComparison(
  sql: Sql,
  pageScope: PageScope,
  search: URLSearchParams,
): Promise<ComparedReleases> {
  const { project } = pageScope;
  const versions = await listVersions(sql, [project.id], {
    query: "",
    sort: "date",
    offset: 0,
    limit: MAX_RELEASES,
  });
  const chosen = (name: string) => versions.find((each) => each === search.get(name)) ?? "";
  const [base, version] = [chosen("base"), chosen("version")];
  if (base === "" || version === "") {
    return { base, version, versions, figures: null, transactions: [] };
  }
  const [[first, second], transactions] = await Promise.all([
    readFigures(sql, pageScope, [base, version]),
    compareTransactions(sql, pageScope, version, base),
  ]);
  const figures = first === undefined || second === undefined ? null : [first, second] as const;
  return { base, version, versions, figures, transactions };
}
