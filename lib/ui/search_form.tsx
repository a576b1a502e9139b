import { Button } from "./components/button.tsx";
import { type Scope, scopeParams } from "./scope.ts";

export interface SearchFormProps {
  readonly path: string;
  readonly scope: Scope;
  readonly query: string;
  /** What is searched, as `Search transactions`. */
  readonly label: string;
  readonly placeholder: string;
  /** Other parameters of the page to carry on. */
  readonly keep?: Readonly<Record<string, string | null | undefined>>;
}

/** The search of a list, in the URL as `query`. */
export function SearchForm({ path, scope, query, label, placeholder, keep = {} }: SearchFormProps) {
  const kept = Object.entries(keep).flatMap(([name, value]): [string, string][] =>
    value ? [[name, value]] : []
  );
  return (
    <form method="get" action={path} role="search" class="flex min-w-0 flex-1 gap-2">
      {[...scopeParams(scope), ...kept].map(([name, value]) => (
        <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
      ))}
      <input
        type="search"
        name="query"
        value={query}
        aria-label={label}
        placeholder={placeholder}
        class="h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2.5"
      />
      <Button icon="search">Search</Button>
    </form>
  );
}
