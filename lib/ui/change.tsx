import { Icon } from "./components/icon.tsx";
import { formatPercent } from "./format.ts";

export interface ChangeProps {
  readonly now: number | null;
  readonly before: number | null;
  /** What more of it means. @default "worse" */
  readonly more?: "worse" | "better" | "neither";
}

/** Smaller changes are noise. */
const NOTABLE = 0.05;
/** Beyond this a percentage says nothing any more. */
const MOST = 10;

/** By how much a figure changed against the time before, in words, with an arrow. */
export function Change({ now, before, more = "worse" }: ChangeProps) {
  if (now === null || before === null || before === 0) {
    return <span class="text-meta text-muted">no comparison</span>;
  }
  const change = now / before - 1;
  const isNotable = Math.abs(change) >= NOTABLE;
  const isWorse = (more === "worse") === (change > 0);
  const tone = !isNotable || more === "neither"
    ? "text-muted"
    : isWorse
    ? "text-danger"
    : "text-ok";
  const size = Math.abs(change) > MOST ? `over ${MOST} times` : formatPercent(Math.abs(change));
  return (
    <span class={`inline-flex items-center gap-0.5 text-meta tabular-nums ${tone}`}>
      {isNotable && <Icon name={change > 0 ? "sort-up" : "sort-down"} size={12} />}
      {isNotable ? `${size} ${change > 0 ? "more" : "less"}` : "about the same"}
    </span>
  );
}
