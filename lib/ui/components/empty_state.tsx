import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface EmptyStateProps {
  /** @default "inbox" */
  readonly icon?: IconName;
  /** What is not here, as "No errors yet". */
  readonly title: ComponentChildren;
  /** Why it is empty and what would fill it. */
  readonly children?: ComponentChildren;
  /** Buttons to act. */
  readonly actions?: ComponentChildren;
}

/** In place of a list: why there is nothing, and what would fill it. */
export function EmptyState({ icon = "inbox", title, children, actions }: EmptyStateProps) {
  return (
    <div class="flex flex-col items-center px-4 py-12 text-center">
      <Icon name={icon} size={32} class="mb-3 text-faint" />
      <h2 class="text-lg font-semibold">{title}</h2>
      {children && <div class="mt-1 max-w-prose text-muted">{children}</div>}
      {actions && <div class="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
