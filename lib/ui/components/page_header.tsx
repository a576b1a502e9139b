import type { ComponentChildren } from "preact";

export interface PageHeaderProps {
  readonly title: ComponentChildren;
  /** A sentence, badges or figures under the title. */
  readonly description?: ComponentChildren;
  /** At the right: buttons of the page. */
  readonly actions?: ComponentChildren;
}

/** The heading of a page (its only `h1`), what it is about, and what can be done. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <div class="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div class="min-w-0">
        <h1 class="text-xl font-semibold wrap-anywhere">{title}</h1>
        {description && <div class="mt-0.5 max-w-3xl text-muted">{description}</div>}
      </div>
      {actions && <div class="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}
