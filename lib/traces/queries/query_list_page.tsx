import { Tabs } from "../../ui/components/tabs.tsx";
import { EVERYTHING, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ListBox } from "../../ui/list_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { NoTraces } from "../no_traces.tsx";
import { SearchForm } from "../../ui/search_form.tsx";
import { sortingText } from "../../ui/sorting.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
import type { QueryList } from "./load_list.ts";
import { QueryTable } from "./query_table.tsx";
import { QUERY_TABS } from "./tabs.ts";

export interface QueryListView extends QueryList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** What the services of a project ask of databases, of other services, of caches and queues. */
export function QueryListPage(view: QueryListView) {
  const { shell, tracing, choice: { tab, categories, id }, list, sorting, query, isCut } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "queries");
  const keep = { category: id, query, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="queries"
      sampled={view.sampled}
      keep={keep}
      description="What your code waits for, without the values: statements, hosts, keys, queues."
    >
      <Tabs
        label="Kinds of calls"
        tabs={QUERY_TABS.map((each) => ({
          href: hrefOf({ category: each.id }),
          label: each.label,
          isCurrent: each === tab,
        }))}
      />
      <div class="mt-3">
        <SearchForm
          path={path}
          scope={scope}
          query={query}
          label={`Search ${tab.what}`}
          placeholder="Part of a statement, a host, a name; * stands for anything"
          keep={{ category: id, sort: keep.sort }}
        />
      </div>
      <ListBox
        list={list}
        unit={tab.what}
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            tracing={tracing}
            what={tab.what}
            path={scopedHref(path, EVERYTHING, { category: id })}
            isSearched={query !== ""}
          />
        }
      >
        <QueryTable
          tracing={tracing}
          rows={list.rows}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
          callers={view.callers}
          isMixed={categories.length > 1}
        />
      </ListBox>
    </TracingPage>
  );
}
