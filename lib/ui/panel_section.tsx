import type { ComponentChildren } from "preact";

/** A heading of the panel with what belongs to it. */
export function PanelSection({ title, children }: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section>
      <h3 class="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  );
}
