/** What pages call the states of monitors and runs. */
import type { Tone } from "../../ui/components/badge.tsx";
import type { IconName } from "../../ui/components/icon.tsx";
import type { Monitor, MonitorEnvironment } from "./monitors.ts";
import type { RunStatus } from "./runs.ts";

export interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly help: string;
}

export const RUN_LOOKS: Readonly<Record<RunStatus, Look>> = {
  ok: { word: "ok", tone: "ok", icon: "ok", help: "It ended well" },
  error: { word: "failed", tone: "danger", icon: "error", help: "The job said that it failed" },
  missed: {
    word: "missed",
    tone: "danger",
    icon: "warning",
    help: "It did not begin within its margin",
  },
  timeout: {
    word: "timed out",
    tone: "danger",
    icon: "clock",
    help: "It began and did not end in its time",
  },
  in_progress: { word: "running", tone: "info", icon: "refresh", help: "It has not ended yet" },
  unknown: {
    word: "unknown",
    tone: "neutral",
    icon: "ignored",
    help: "Watchpost itself was away, or the job sent a status that means nothing",
  },
};

export const STANDINGS = ["failing", "ok", "waiting", "muted", "off"] as const;
export type Standing = (typeof STANDINGS)[number];

export const STANDING_LOOKS: Readonly<Record<Standing, Look>> = {
  failing: { word: "failing", tone: "danger", icon: "error", help: "An incident is open" },
  ok: { word: "ok", tone: "ok", icon: "ok", help: "The last runs ended well" },
  waiting: {
    word: "waiting",
    tone: "neutral",
    icon: "clock",
    help: "No run has ended yet",
  },
  muted: {
    word: "muted",
    tone: "neutral",
    icon: "ignored",
    help: "Runs are kept, and nobody is told",
  },
  off: { word: "off", tone: "neutral", icon: "minus", help: "Check-ins are not taken" },
};

/** How an environment stands, or a monitor that has none yet. */
export function standingOf(
  { isActive, isMuted }: Pick<Monitor, "isActive" | "isMuted">,
  state: Pick<MonitorEnvironment, "status" | "isMuted"> | null,
): Standing {
  if (!isActive) return "off";
  if (isMuted || state?.isMuted) return "muted";
  if (state === null || state.status === "active") return "waiting";
  return state.status === "error" ? "failing" : "ok";
}
