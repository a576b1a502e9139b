import type { Project } from "../accounts/projects.ts";
import { LinkButton } from "../ui/components/button.tsx";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { isNarrowed, type Scope } from "../ui/scope.ts";
import { sectionPath } from "../ui/links.ts";
import { snippetFor } from "../projects/snippets/mod.ts";
import { issueListHref, type IssueListParams } from "./list_params.ts";

/** Nothing was ever received: the three steps that change that. */
export function NoEventsYet({ project }: { readonly project: Project }) {
  const { sdk } = snippetFor(null, project.platform);
  return (
    <EmptyState
      title="No errors yet"
      actions={
        <LinkButton href={sectionPath(project.id, "setup")} kind="primary" icon="setup">
          Open Setup
        </LinkButton>
      }
    >
      <p>Nothing has been received for {project.name} so far. Three steps to the first one:</p>
      <ol class="mt-3 inline-block list-decimal space-y-1 pl-5 text-left text-ink">
        <li>
          Install <code class="text-sm">{sdk}</code>, or any other Sentry SDK.
        </li>
        <li>Give it the DSN of this project; Setup has it ready to copy.</li>
        <li>Throw an error. It is listed here within two seconds.</li>
      </ol>
    </EmptyState>
  );
}

export interface NoMatchProps {
  readonly path: string;
  readonly scope: Scope;
  readonly params: IssueListParams;
}

/** There are issues, but none under this tab, search and scope: the ways to see more. */
export function NoMatch({ path, scope, params }: NoMatchProps) {
  const isSearch = params.query !== "";
  const everywhere = { ...scope, environments: [], releases: [] };
  return (
    <EmptyState
      icon={isSearch ? "search" : "ok"}
      title={isSearch
        ? "No issue matches"
        : `No ${params.tab === "all" ? "" : params.tab} issues here`}
      actions={
        <>
          {isSearch && (
            <LinkButton href={issueListHref(path, scope, params, { query: "" })}>
              Clear the search
            </LinkButton>
          )}
          {isNarrowed(scope) && (
            <LinkButton href={issueListHref(path, everywhere, params)}>
              All environments and releases
            </LinkButton>
          )}
          {scope.range !== "30d" && (
            <LinkButton href={issueListHref(path, { ...scope, range: "30d" }, params)}>
              Last 30 days
            </LinkButton>
          )}
          {params.tab !== "all" && (
            <LinkButton href={issueListHref(path, scope, params, { tab: "all" })}>
              Issues of any status
            </LinkButton>
          )}
        </>
      }
    >
      <p>Nothing was seen in the chosen time, environments and releases that fits.</p>
    </EmptyState>
  );
}
