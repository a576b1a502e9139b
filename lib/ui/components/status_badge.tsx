import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

export type IssueStatus = "unresolved" | "resolved" | "ignored";

const LOOKS: Record<IssueStatus | "regressed", { tone: Tone; icon: IconName; help: string }> = {
  unresolved: { tone: "warning", icon: "issues", help: "Nobody has dealt with it yet" },
  regressed: { tone: "danger", icon: "regressed", help: "It happened again after it was resolved" },
  resolved: { tone: "ok", icon: "ok", help: "Reopens by itself when it happens again" },
  ignored: { tone: "neutral", icon: "ignored", help: "Still counted, but out of the list" },
};

export interface StatusBadgeProps {
  readonly status: IssueStatus;
  /** Says `regressed` in place of `unresolved`. @default false */
  readonly isRegressed?: boolean;
}

/** The status of an issue: colour, shape and word, with its meaning on hover. */
export function StatusBadge({ status, isRegressed = false }: StatusBadgeProps) {
  const word = isRegressed && status === "unresolved" ? "regressed" : status;
  const { tone, icon, help } = LOOKS[word];
  return <Badge tone={tone} icon={icon} title={help}>{word}</Badge>;
}
