import { Icon } from "./components/icon.tsx";
import { formatPercent } from "./format.ts";

/** From this share on people should look. */
const ALARMING = 0.05;

/** A share of failures, 0 to 1; a high one is marked by more than its colour. */
export function FailureShare({ rate }: { readonly rate: number | null }) {
  const isAlarming = rate !== null && rate >= ALARMING;
  return (
    <span
      class={isAlarming
        ? "inline-flex items-center gap-1 text-danger"
        : rate === 0
        ? "text-muted"
        : undefined}
    >
      {isAlarming && <Icon name="warning" size={12} />}
      {formatPercent(rate)}
    </span>
  );
}
