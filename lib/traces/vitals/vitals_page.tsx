import { scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { sampledOf } from "../../store/stats/extrapolate.ts";
import { ListPages } from "../../ui/list_pages.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { SearchForm } from "../../ui/search_form.tsx";
import { sortingText } from "../../ui/sorting.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
import type { VitalList } from "./load_vitals.ts";
import { NoVitals } from "./no_vitals.tsx";
import { PageTable } from "./page_table.tsx";
import { VitalCards } from "./vital_cards.tsx";

export interface VitalsView extends VitalList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** How good the pages of a project are for those who visit them. */
export function VitalsPage(view: VitalsView) {
  const { shell, tracing, total, previous, sorting, query, isCut } = view;
  const keep = { query, sort: sortingText(sorting) };
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="web-vitals"
      sampled={sampledOf([...total.values()])}
      keep={keep}
      description="How fast and steady pages are for their visitors: three of four visits are at least as good as p75."
    >
      {total.size === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoVitals tracing={tracing} />
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
          There are more pages than are read at once: the least visited ones are left out.
        </p>
      )}
    </TracingPage>
  );
}

function Pages({ tracing, list, sorting, query }: VitalsView) {
  const { project, scope } = tracing;
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
          label="Search pages"
          placeholder="Part of a page's name; * stands for anything"
          keep={{ sort: keep.sort }}
        />
      </div>
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {list.total === 0 ? <NoVitals tracing={tracing} isSearched /> : (
          <>
            <PageTable
              tracing={tracing}
              rows={list.rows}
              sorting={sorting}
              hrefOf={(sort) => hrefOf({ sort })}
            />
            <ListPages list={list} unit="pages" hrefOf={(page) => hrefOf({ page })} />
          </>
        )}
      </div>
    </>
  );
}
