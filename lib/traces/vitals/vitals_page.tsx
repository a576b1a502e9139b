import { t } from "../../core/language/translate.ts";
import type { PageView } from "../../releases/request_scope.ts";
import { sampledOf } from "../../store/stats/stats.ts";
import { formatCount, formatExact } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { pageVitalsHref, sectionPath } from "../../ui/links.ts";
import { scopedHref } from "../../ui/scope.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import { ListPages, SearchForm, SortedTable, sortingText } from "../../ui/sorted_list.tsx";
import { PAGE_COLUMNS, type PageRow, type VitalList } from "./load_vitals.ts";
import { formatScore, NoVitals, Rated, VitalCards } from "./vital_cards.tsx";
import { formatVital, ratingOf, scoreRating, type Vital, VITALS } from "./vital_scores.ts";

export interface VitalsView extends VitalList, PageView {
  /** Of a browser's key. */
  readonly dsn: string;
}

/** How good the pages of a project are for those who visit them. */
export function VitalsPage(view: VitalsView) {
  const { shell, pageScope, total, previous, sorting, query, isCut } = view;
  const keep = { query, sort: sortingText(sorting) };
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="web-vitals"
      sampled={sampledOf([...total.values()])}
      keep={keep}
      description={t(
        "How fast and steady pages are for their visitors: three of four visits are at least as good as p75.",
      )}
    >
      {total.size === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoVitals pageScope={pageScope} dsn={view.dsn} />
          </div>
        )
        : (
          <>
            <VitalCards vitals={total} previous={previous} />
            <Pages {...view} />
          </>
        )}
      {isCut && (
        <p class="mt-2 text-sm text-muted">
          {t("There are more pages than are read at once: the least visited ones are left out.")}
        </p>
      )}
    </ProjectPage>
  );
}

function Pages({ pageScope, list, sorting, query }: VitalsView) {
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, "web-vitals");
  const keep = { query, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <>
      <div class="mt-4 flex">
        <SearchForm
          path={path}
          scope={scope}
          query={query}
          label={t("Search pages")}
          placeholder={t("Part of a page's name; * stands for anything")}
          keep={{ sort: keep.sort }}
        />
      </div>
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {list.total === 0 ? <NoVitals pageScope={pageScope} dsn={null} /> : (
          <>
            <SortedTable
              caption={t("Pages and their Web Vitals")}
              density="comfortable"
              columns={PAGE_COLUMNS}
              rows={list.rows}
              rowKey={({ name }) => name}
              sorting={sorting}
              hrefOf={(sort) => hrefOf({ sort })}
              cells={{
                name: ({ name }) => (
                  <a
                    class="row-link block truncate font-medium"
                    title={visible(name)}
                    href={pageVitalsHref(project.id, scope, name)}
                  >
                    <bdi>{visible(name)}</bdi>
                  </a>
                ),
                loads: ({ loads }) => <span title={formatExact(loads)}>{formatCount(loads)}</span>,
                score: ({ score }) => (
                  <Rated rating={scoreRating(score)}>{formatScore(score)}</Rated>
                ),
                ...Object.fromEntries(
                  VITALS.map((
                    vital,
                  ) => [vital.name, (row: PageRow) => <P75 {...row} of={vital} />]),
                ),
              }}
            />
            <ListPages list={list} unit="{n} page|{n} pages" hrefOf={(page) => hrefOf({ page })} />
          </>
        )}
      </div>
    </>
  );
}

/** What three of four visits of a page do not exceed. */
function P75({ of, vitals, p75 }: PageRow & { readonly of: Vital }) {
  return (
    <Rated
      rating={ratingOf(of, p75[of.name])}
      title={t("p75 of {n} measured", { n: vitals.get(of.name)?.count ?? 0 })}
    >
      {formatVital(of, p75[of.name])}
    </Rated>
  );
}
