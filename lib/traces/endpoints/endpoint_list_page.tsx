import { scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";
import { ChoiceLinks } from "../../ui/choice_links.tsx";
import { ListBox } from "../../ui/list_box.tsx";
import type { Tracing } from "../../releases/load_tracing.ts";
import { NoTraces } from "../no_traces.tsx";
import { SearchForm } from "../../ui/search_form.tsx";
import { sortingText } from "../../ui/sorting.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
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
      sampled={view.sampled}
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
        <ChoiceLinks
          label="Methods"
          choices={["", ...methods]}
          chosen={method}
          hrefOf={(each) => hrefOf({ method: each })}
        />
      )}
      <ListBox
        list={list}
        unit="endpoints"
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            tracing={tracing}
            what="endpoints"
            path={path}
            isSearched={query !== "" || method !== ""}
          />
        }
      >
        <EndpointTable
          tracing={tracing}
          rows={list.rows}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
        />
      </ListBox>
      <p class="mt-2 text-sm text-muted">
        Errors are answers from 500 on, and failed requests that told no status.
      </p>
    </TracingPage>
  );
}
