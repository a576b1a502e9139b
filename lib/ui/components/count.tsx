import { formatCount, formatExact, formatExactOf } from "../format.ts";

export interface CountProps {
  /** null prints a dash. */
  readonly value: number | null;
  /** Noun for the exact value on hover and for screen readers, such as `events`. */
  readonly unit?: string;
}

/** A count in short form with the exact value on hover. */
export function Count({ value, unit }: CountProps) {
  const exact = unit && value !== null ? formatExactOf(value, unit) : formatExact(value);
  return <span class="tabular-nums" title={exact}>{formatCount(value)}</span>;
}
