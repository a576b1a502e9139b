import { Icon } from "./icon.tsx";

export interface Crumb {
  readonly label: string;
  /** Without one it is the page itself. */
  readonly href?: string;
}

/** Where the page stands, from the outside in. */
export function Breadcrumb({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" class="min-w-0">
      <ol class="flex min-w-0 items-center gap-1 text-muted">
        {crumbs.map(({ label, href }, index) => (
          <li key={index} class="flex shrink-0 items-center gap-1 last:min-w-0 last:shrink">
            {index > 0 && <Icon name="chevron-right" size={12} class="text-faint" />}
            {href
              ? (
                <a href={href} class="max-w-28 truncate sm:max-w-48 hover:text-ink hover:underline">
                  {label}
                </a>
              )
              : <span aria-current="page" class="truncate text-ink">{label}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
