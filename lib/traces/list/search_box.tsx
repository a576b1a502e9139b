import { Button } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Menu } from "../../ui/components/menu.tsx";
import { type Scope, scopeParams } from "../../ui/scope.ts";
import type { SearchProblem } from "./trace_search.ts";

export interface SearchBoxProps {
  readonly path: string;
  readonly scope: Scope;
  readonly query: string;
  readonly problems: readonly SearchProblem[];
}

const PROBLEMS_ID = "trace-search-problems";

/** Search by words and `key:value`, with help, and what was not understood below. */
export function SearchBox({ path, scope, query, problems }: SearchBoxProps) {
  const isWrong = problems.length > 0;
  return (
    <div>
      <form method="get" action={path} role="search" class="flex gap-1.5">
        {scopeParams(scope).map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <div class="relative min-w-0 flex-1">
          <Icon
            name="search"
            class="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
          />
          <input
            type="search"
            name="query"
            value={query}
            maxLength={1000}
            aria-label="Search traces"
            aria-invalid={isWrong ? "true" : undefined}
            aria-describedby={isWrong ? PROBLEMS_ID : undefined}
            placeholder="Words, key:value, or a trace id"
            autocomplete="off"
            spellcheck={false}
            class="h-9 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 font-mono text-sm aria-invalid:border-danger"
          />
        </div>
        <Button>Search</Button>
        <SearchHelp />
      </form>
      {isWrong && (
        <ul id={PROBLEMS_ID} class="mt-1 text-sm text-danger">
          {problems.map(({ part, reason }, index) => (
            <li key={index} class="wrap-anywhere">
              <code class="underline decoration-wavy">{part}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const EXAMPLES: readonly (readonly [search: string, meaning: string])[] = [
  ["checkout", "part of the name"],
  ["service:shop-*", "* stands for anything"],
  ["op:http.server", "by operation"],
  ["duration:>500ms", "or <2s, 100ms..1s"],
  ["status:failed", "or ok, or a status as not_found"],
  ["http.status:>=500", "or 404, 5xx, 400..499"],
  ["http.method:POST", "http.route works alike"],
  ["user.id:7", "or user.email:, user:*"],
  ["url.path:/cart", "by any attribute of an entry"],
  ["db.system:postgresql", "or messaging.*, rpc.* of any span"],
  ["team:core", "by what its resource says"],
  ["has:server_name", "any value of a tag"],
  ["!environment:staging", "not from there"],
];

function SearchHelp() {
  return (
    <Menu
      label="Search help"
      align="right"
      buttonClass="flex h-9 items-center rounded-md border border-line-strong px-2.5 text-muted hover:bg-hover"
      button={<span aria-hidden="true">?</span>}
      panelClass="w-84 max-w-[calc(100vw-2rem)] p-3"
    >
      <table class="w-full text-sm" aria-label="Examples of searches">
        <tbody>
          {EXAMPLES.map(([search, meaning]) => (
            <tr key={search} class="align-top">
              <td class="py-0.5 pr-3">
                <code class="text-meta">{search}</code>
              </td>
              <td class="py-0.5 text-muted">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="mt-2 text-sm text-muted">
        Services enter a trace one after the other: it is found when one of its entries has all that
        is asked for. The id of a trace leads straight to it.
      </p>
    </Menu>
  );
}
