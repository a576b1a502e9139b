import type { AlertLevel, Comparison, Condition } from "../rule.ts";

/** The level that a value reaches by itself, or null. */
export function levelOf(condition: Condition, value: number): AlertLevel | null {
  const { comparison, warning, critical } = condition;
  if (compares(comparison, value, critical)) return "critical";
  return warning !== null && compares(comparison, value, warning) ? "warning" : null;
}

/**
 * The level of a group that is firing already: it stays at its lowest level until the value is no longer on the wrong
 * side of recovery. Null once it has recovered.
 */
export function levelWhileFiring(condition: Condition, value: number): AlertLevel | null {
  const { comparison, warning, critical, recovery } = condition;
  const lowest: AlertLevel = warning === null ? "critical" : "warning";
  const isUp = compares(comparison, value, recovery ?? warning ?? critical);
  return levelOf(condition, value) ?? (isUp ? lowest : null);
}

/** The worse of two levels. */
export function worse(a: AlertLevel | null, b: AlertLevel | null): AlertLevel | null {
  if (a === "critical" || b === "critical") return "critical";
  return a ?? b;
}

function compares(comparison: Comparison, value: number, limit: number): boolean {
  switch (comparison) {
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
  }
}
