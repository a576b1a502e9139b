import { isOfIssues } from "../check_input.ts";
import type { AlertLevel, AlertSource, Condition } from "../rule.ts";
import { NONE } from "../../ui/format.ts";
import { formatAlertValue, valueKindOf } from "../values.ts";
import { COMPARISON_LABELS } from "../words.ts";

export interface LevelTextProps {
  readonly source: AlertSource;
  readonly condition: Condition;
  /** The level that the value has reached; null shows the critical one. */
  readonly level: AlertLevel | null;
}

/** The level that a value is measured by, as `> 1.5 s`. */
export function LevelText({ source, condition, level }: LevelTextProps) {
  if (isOfIssues({ source })) return <span class="text-muted">{NONE}</span>;
  const { comparison, critical, warning } = condition;
  const kind = valueKindOf(source);
  const value = level === "warning" && warning !== null ? warning : critical;
  const all = [
    `critical ${COMPARISON_LABELS[comparison]} ${formatAlertValue(critical, kind)}`,
    ...(warning === null
      ? []
      : [`warning ${COMPARISON_LABELS[comparison]} ${formatAlertValue(warning, kind)}`]),
  ];
  return (
    <span class="text-muted" title={all.join(", ")}>
      {`${comparison} ${formatAlertValue(value, kind)}`}
    </span>
  );
}
