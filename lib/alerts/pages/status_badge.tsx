import type { AlertLevel, AlertStatus } from "../rule.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import type { IconName } from "../../ui/components/icon.tsx";

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly help: string;
}

const LOOKS: Readonly<Record<Exclude<AlertStatus, "firing">, Look>> = {
  ok: { word: "ok", tone: "ok", icon: "ok", help: "The condition does not hold" },
  pending: {
    word: "pending",
    tone: "info",
    icon: "clock",
    help: "The condition holds, but not for long enough yet",
  },
  no_data: {
    word: "no data",
    tone: "neutral",
    icon: "ignored",
    help: "There was nothing to judge in the last window",
  },
};

const FIRING: Readonly<Record<AlertLevel, Look>> = {
  critical: { word: "critical", tone: "danger", icon: "fatal", help: "Over the critical level" },
  warning: { word: "warning", tone: "warning", icon: "warning", help: "Over the warning level" },
};

export interface AlertStatusBadgeProps {
  /** Null: it was not evaluated yet. */
  readonly status: AlertStatus | null;
  /** What it fires with. */
  readonly level: AlertLevel | null;
}

/** The state of an alert: colour, shape and word, with its meaning on hover. */
export function AlertStatusBadge({ status, level }: AlertStatusBadgeProps) {
  if (status === null) {
    return <Badge icon="clock" title="It is evaluated twice a minute">not run yet</Badge>;
  }
  const { word, tone, icon, help } = status === "firing"
    ? FIRING[level ?? "critical"]
    : LOOKS[status];
  return <Badge tone={tone} icon={icon} title={help}>{word}</Badge>;
}
