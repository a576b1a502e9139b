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
import type { TransactionList } from "./load_transactions.ts";
import { FoldedNote } from "./folded_note.tsx";
import { TransactionTable } from "./transaction_table.tsx";

export interface TransactionListView extends TransactionList {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** Links of operations; more are found by searching. */
const MAX_OPS = 12;

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
      sampled={view.sampled}
      keep={keep}
      description="What your services do, by name: how often, how fast, how often it fails."
    >
      <SearchForm
        path={path}
        scope={scope}
        query={query}
        label="Search transactions"
        placeholder="Part of a name; * stands for anything"
        keep={{ op, sort: keep.sort }}
      />
      {ops.length > 1 && (
        <ChoiceLinks
          label="Operations"
          choices={["", ...ops.slice(0, MAX_OPS)]}
          chosen={op}
          hrefOf={(each) => hrefOf({ op: each })}
        />
      )}
      <ListBox
        list={list}
        unit="transactions"
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={
          <NoTraces
            tracing={tracing}
            what="transactions"
            path={path}
            isSearched={query !== "" || op !== ""}
          />
        }
      >
        <TransactionTable
          tracing={tracing}
          rows={list.rows}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
          trends={view.trends}
        />
      </ListBox>
      {folded && <FoldedNote tracing={tracing} folded={folded} />}
    </TracingPage>
  );
}
