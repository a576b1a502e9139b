import type { ComponentChildren } from "preact";
import { Icon } from "./components/icon.tsx";

export interface FoldedProps {
  readonly title: string;
  /** @default false */
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a panel behind its title. */
export function Folded({ title, isOpen = false, children }: FoldedProps) {
  return (
    <details open={isOpen} class="group/folded">
      <summary class="inline-flex items-center gap-1 text-sm font-medium hover:underline">
        <Icon
          name="chevron-right"
          size={12}
          class="text-muted transition-transform group-open/folded:rotate-90"
        />
        {title}
      </summary>
      <div class="mt-1">{children}</div>
    </details>
  );
}
