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
import type { TransactionList } from "./load_list.ts";
import { FoldedNote } from "./folded_note.tsx";
import { TransactionTable } from "./transaction_table.tsx";

export interface TransactionListView extends TransactionList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** All transactions of a project by name. */
export function TransactionListPage(view: TransactionListView) {
  const { shell, tracing, list, sorting, query, op, ops, folded, isCut } = view;
  const { project, scope } = tracing;
  const path = sectionPath(project.id, "transactions");
  const keep = { query, op, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="transactions"
      keep={keep}
      description="What your services do, by name: how often, how fast, how often it fails."
    >
      <div class="flex flex-wrap items-center gap-3">
        <SearchForm
          path={path}
          scope={scope}
          query={query}
          label="Search transactions"
          placeholder="Part of a name; * stands for anything"
          keep={{ op, sort: keep.sort }}
        />
      </div>
      {ops.length > 1 && (
        <nav aria-label="Operations" class="mt-2 flex flex-wrap gap-1.5 text-sm">
          <OpLink href={hrefOf({ op: null })} isCurrent={op === ""}>All</OpLink>
          {ops.slice(0, 12).map((each) => (
            <OpLink key={each} href={hrefOf({ op: each })} isCurrent={op === each}>{each}</OpLink>
          ))}
        </nav>
      )}
      <div class="mt-3 rounded-lg border border-line bg-surface">
        {list.total === 0
          ? (
            <NoTraces
              tracing={tracing}
              what="transactions"
              path={path}
              isSearched={query !== "" || op !== ""}
            />
          )
          : (
            <>
              <TransactionTable
                tracing={tracing}
                rows={list.rows}
                sorting={sorting}
                hrefOf={(sort) => hrefOf({ sort })}
                trends={view.trends}
              />
              <ListPages list={list} unit="transactions" hrefOf={(page) => hrefOf({ page })} />
            </>
          )}
      </div>
      {folded && <FoldedNote tracing={tracing} folded={folded} />}
      {isCut && (
        <p class="mt-2 text-sm text-muted">
          There are more names than this: only those that take the most time are listed.
        </p>
      )}
    </TracingPage>
  );
}

interface OpLinkProps {
  readonly href: string;
  readonly isCurrent: boolean;
  readonly children: string;
}

function OpLink({ href, isCurrent, children }: OpLinkProps) {
  return (
    <a
      href={href}
      aria-current={isCurrent ? "true" : undefined}
      class={classes(
        "inline-flex h-6 items-center rounded-md border px-2",
        isCurrent ? "border-accent text-accent" : "border-line-strong hover:bg-hover",
      )}
    >
      {children}
    </a>
  );
}
