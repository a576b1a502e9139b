import type { ComponentChildren } from "preact";
import { EmptyState } from "../ui/components/empty_state.tsx";

export interface NothingYetProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** In place of panels or lists. */
export function NothingYet({ title, children }: NothingYetProps) {
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState icon="dashboards" title={title}>{children}</EmptyState>
    </div>
  );
}
