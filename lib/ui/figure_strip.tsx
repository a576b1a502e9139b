import type { ComponentChildren } from "preact";
import { Change, type ChangeProps } from "./change.tsx";

export interface FigureProps {
  readonly label: string;
  /** With its unit. */
  readonly value: ComponentChildren;
  /** The exact value, or what the figure means; shown on hover. */
  readonly title?: string;
  /** Against the time before. */
  readonly change?: ChangeProps;
}

/** The figures that a page begins with. */
export function FigureStrip({ figures }: { readonly figures: readonly FigureProps[] }) {
  // Beside a time of which nothing is stored, saying so six times tells less than saying nothing.
  const compares = figures.some(({ change }) => change && change.before);
  return (
    <dl class="figure-strip grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      {figures.map(({ label, value, title, change }) => (
        <div key={label} class="bg-surface px-4 py-3" title={title}>
          <dt class="text-meta text-muted">{label}</dt>
          <dd class="text-lg font-semibold tabular-nums">{value}</dd>
          {compares && change && (
            <dd>
              <Change {...change} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
