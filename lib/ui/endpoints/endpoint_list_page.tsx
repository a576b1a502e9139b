import { classes } from "../class_names.ts";
import { scopedHref } from "../scope.ts";
import { sectionPath } from "../sections.ts";
import type { Shell } from "../shell.ts";
import { ListPages } from "../tracing/list_pages.tsx";
import type { Tracing } from "../tracing/load_tracing.ts";
import { NoTraces } from "../tracing/no_traces.tsx";
import { SearchForm } from "../tracing/search_form.tsx";
import { sortingText } from "../tracing/sorting.ts";
import { TracingPage } from "../tracing/tracing_page.tsx";
import { EndpointTable } from "./endpoint_table.tsx";
import type { EndpointList } from "./load_list.ts";

export interface EndpointListView extends EndpointList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** All HTTP endpoints that the services of a project serve. */
export function EndpointListPage(view: EndpointListView) {
  const { shell, tracing, list, sorting, query, method, methods, isCut } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "endpoints");
  const keep = { query, method, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="endpoints"
      keep={keep}
      description="HTTP endpoints that your services serve, from Sentry's SDKs and OpenTelemetry alike."
    >
      <SearchForm
        path={path}
        scope={scope}
        query={query}
        label="Search endpoints"
        placeholder="Part of a route; * stands for anything"
        keep={{ method, sort: keep.sort }}
      />
      {(methods.length > 1 || method !== "") && (
        <nav aria-label="Methods" class="mt-2 flex flex-wrap gap-1.5 text-sm">
          {["", ...methods].map((each) => (
            <a
              key={each}
              href={hrefOf({ method: each })}
              aria-current={method === each ? "true" : undefined}
              class={classes(
                "inline-flex h-6 items-center rounded-md border px-2",
                method === each ? "border-accent text-accent" : "border-line-strong hover:bg-hover",
              )}
            >
              {each || "All"}
            </a>
          ))}
        </nav>
      )}
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {list.total === 0
          ? (
            <NoTraces
              tracing={tracing}
              what="endpoints"
              path={path}
              isSearched={query !== "" || method !== ""}
            />
          )
          : (
            <>
              <EndpointTable
                tracing={tracing}
                rows={list.rows}
                sorting={sorting}
                hrefOf={(sort) => hrefOf({ sort })}
              />
              <ListPages list={list} unit="endpoints" hrefOf={(page) => hrefOf({ page })} />
            </>
          )}
      </div>
      <p class="mt-2 text-sm text-muted">
        Errors are answers from 500 on, and failed requests that told no status.
        {isCut && " There are more endpoints: only those that take the most time are listed."}
      </p>
    </TracingPage>
  );
}
