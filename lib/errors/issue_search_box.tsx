import IssueSearchAssist from "../../islands/IssueSearchAssist.tsx";
import { Button, Menu } from "../ui/components/button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { type Scope, scopeParams } from "../ui/scope.ts";

export interface SearchProblem {
  /** The part of the search that is not understood, as typed. */
  readonly part: string;
  readonly reason: string;
}

export interface SearchBoxProps {
  /** Path of the page that is searched. */
  readonly path: string;
  readonly scope: Scope;
  /** Parameters to keep beside scope and search. */
  readonly keep: Readonly<Record<string, string>>;
  readonly query: string;
  readonly problems: readonly SearchProblem[];
  /** Keys that can be searched for, for completion. */
  readonly keys: readonly string[];
  /** Address that answers with the values of a key. */
  readonly completionsPath: string;
}

const INPUT_ID = "issue-search";
const PROBLEMS_ID = "issue-search-problems";

/** Search by words and `key:value`, with completion, help, and what was not understood below. */
export function SearchBox(props: SearchBoxProps) {
  const { path, scope, keep, query, problems, keys, completionsPath } = props;
  const hidden = [...scopeParams(scope), ...Object.entries(keep)];
  return (
    <div class="min-w-0 flex-1">
      <form action={path} role="search" class="flex gap-1.5">
        {hidden.map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
        <div class="relative min-w-0 flex-1">
          <Icon
            name="search"
            class="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
          />
          <input
            id={INPUT_ID}
            type="search"
            name="query"
            value={query}
            maxLength={1000}
            aria-label="Search issues"
            aria-invalid={problems.length > 0 ? "true" : undefined}
            aria-describedby={problems.length > 0 ? PROBLEMS_ID : undefined}
            placeholder="Words, key:value, or an event id"
            autocomplete="off"
            spellcheck={false}
            class="h-9 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 font-mono text-sm aria-invalid:border-danger"
          />
          <IssueSearchAssist
            inputId={INPUT_ID}
            keys={[...keys]}
            completionsPath={completionsPath}
          />
        </div>
        <Button>Search</Button>
        <SearchHelp />
      </form>
      {problems.length > 0 && (
        <ul id={PROBLEMS_ID} class="mt-1 text-sm text-danger">
          {problems.map(({ part, reason }, index) => (
            <li key={index}>
              <code class="underline decoration-wavy">{part}</code>: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const EXAMPLES: readonly (readonly [search: string, meaning: string])[] = [
  ["timeout checkout", "both words, in title or culprit"],
  ['"connection refused"', "exactly these words"],
  ["browser:Firefox*", "by tag; * stands for anything"],
  ["!environment:staging", "not seen there"],
  ["has:user", "any value of a tag"],
  ["is:unhandled", "or handled, regressed, resolved, ignored"],
  ["user.email:ann@example.com", "or only the address; user.id, user.ip"],
  ["error.type:TypeError", "or error.value, error.mechanism"],
  ["level:fatal", "or error, warning, info, debug"],
  ["timesSeen:>100", "usersSeen works alike"],
  ["firstSeen:-24h", "within the last day; +7d is longer ago"],
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
      <p class="mt-2 text-sm text-muted">The id of an event or an issue leads straight to it.</p>
    </Menu>
  );
}
