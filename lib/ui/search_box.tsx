/** The parts of a search that knows keys: its field, its help, and what of it was not understood. */
import { t } from "../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { Menu } from "./components/button.tsx";
import { Icon } from "./components/icon.tsx";
import type { SearchProblem } from "./search_grammar.ts";

interface SearchInputProps {
  /** Where completion looks for it. @default none */
  readonly id?: string;
  readonly query: string;
  /** What is searched, as `Search issues`. */
  readonly label: string;
  readonly placeholder: string;
  readonly problems: readonly SearchProblem[];
  /** See {@linkcode SearchProblems}. */
  readonly problemsId: string;
  /** Its completion. */
  readonly children?: ComponentChildren;
}

/** The field of a search, in the URL as `query`. */
export function SearchInput(props: SearchInputProps) {
  const { id, query, label, placeholder, problems, problemsId, children } = props;
  const isWrong = problems.length > 0;
  return (
    <div class="relative min-w-0 flex-1">
      <Icon
        name="search"
        class="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <input
        id={id}
        type="search"
        name="query"
        value={query}
        maxLength={1000}
        aria-label={label}
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={isWrong ? problemsId : undefined}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        class="h-9 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 font-mono text-sm aria-invalid:border-danger"
      />
      {children}
    </div>
  );
}

interface SearchProblemsProps {
  readonly id: string;
  /** The search as typed, in which problems that know their place are marked. @default none */
  readonly query?: string;
  readonly problems: readonly SearchProblem[];
  /** Of each problem. */
  readonly class?: string;
}

/** What of the search was not understood, below it. */
export function SearchProblems({ id, query, problems, class: extra }: SearchProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <ul id={id} class="mt-1 text-sm text-danger">
      {problems.map(({ part, reason, start, end }, index) => (
        <li key={index} class={extra}>
          {query !== undefined && start !== undefined && (
            <code class="text-muted">{before(query, start)}</code>
          )}
          <code class="underline decoration-wavy">{part}</code>
          {query !== undefined && end !== undefined && (
            <code class="text-muted">{behind(query, end)}</code>
          )}
          : {reason}
        </li>
      ))}
    </ul>
  );
}

/** Of the search around what is wrong in it. */
const SHOWN_AROUND = 40;

function before(query: string, start: number): string {
  const text = query.slice(Math.max(0, start - SHOWN_AROUND), start);
  return start > SHOWN_AROUND ? `…${text}` : text;
}

function behind(query: string, end: number): string {
  const text = query.slice(end, end + SHOWN_AROUND);
  return query.length > end + SHOWN_AROUND ? `${text}…` : text;
}

interface SearchHelpProps {
  readonly examples: readonly (readonly [search: string, meaning: string])[];
  /** Below the examples. */
  readonly children: ComponentChildren;
}

/** A menu with examples of searches. */
export function SearchHelp({ examples, children }: SearchHelpProps) {
  return (
    <Menu
      label={t("Search help")}
      align="right"
      buttonClass="flex h-9 items-center rounded-md border border-line-strong px-2.5 text-muted hover:bg-hover"
      button={<span aria-hidden="true">?</span>}
      panelClass="w-84 max-w-[calc(100vw-2rem)] p-3"
    >
      <table class="w-full text-sm" aria-label={t("Examples of searches")}>
        <tbody>
          {examples.map(([search, meaning]) => (
            <tr key={search} class="align-top">
              <td class="py-0.5 pr-3">
                <code class="text-meta">{search}</code>
              </td>
              <td class="py-0.5 text-muted">{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="mt-2 text-sm text-muted">{children}</p>
    </Menu>
  );
}
