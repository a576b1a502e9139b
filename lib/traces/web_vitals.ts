import type { ProjectAccess } from "../accounts/authorize.ts";
import type { Stats } from "../store/stats/stats.ts";
import { loadsOf, readPages } from "./vitals/load_vitals.ts";
import { ratingOf, type Vital, VITALS } from "./vitals/ratings.ts";
import { pageScore } from "./vitals/score.ts";
import type { ApiContext } from "../api/api.ts";
import { listReply } from "../api/api_page.ts";
import { rounded } from "../api/figures.ts";
import { readText, readTracing } from "../releases/read_tracing.ts";
import { sortedPage, type SortFields } from "../api/sorted_page.ts";

type PageJson = ReturnType<typeof pageJson>;

const SORTS: SortFields<PageJson> = {
  page: ({ page }) => page,
  loads: ({ loads }) => loads,
  score: ({ score }) => score,
  ...Object.fromEntries(
    VITALS.map(({ name }) => [name, ({ vitals }: PageJson) => vitals[name]?.p75 ?? null]),
  ),
};

/** The pages of a site with their web vitals; `query` is part of the page's name. */
export async function vitalListReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const tracing = readTracing(ctx, access);
  const { searchParams } = ctx.url;
  const { pages } = await readPages(
    ctx.state.services.sql,
    tracing,
    readText(searchParams, "query"),
  );
  const rows = [...pages].map(([page, vitals]) => pageJson(page, vitals));
  const page = sortedPage(rows, searchParams, SORTS, "-loads");
  return listReply(ctx, page.rows, page);
}

type StatsByVital = ReadonlyMap<string, Stats>;

function pageJson(page: string, stats: StatsByVital) {
  return {
    page,
    loads: loadsOf(stats),
    score: rounded(pageScore(stats)),
    vitals: Object.fromEntries(VITALS.map((vital) => {
      const found = stats.get(vital.name);
      return [vital.name, found === undefined ? null : vitalJson(vital, found)];
    })),
  };
}

function vitalJson(vital: Vital, { sketch, weight }: Stats) {
  const p75 = sketch.quantile(0.75);
  return { p75: rounded(p75), count: Math.round(weight), rating: ratingOf(vital, p75) };
}
