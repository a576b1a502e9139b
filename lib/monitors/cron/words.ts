/** What pages call the states of monitors and runs. */
import { type Message, message } from "../../core/language/translate.ts";
import type { Tone } from "../../ui/components/badge.tsx";
import type { IconName } from "../../ui/components/icon.tsx";
import type { Monitor, MonitorEnvironment } from "./monitors.ts";
import type { RunStatus } from "./runs.ts";

export interface Look {
  readonly word: Message;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly help: Message;
}

export const RUN_LOOKS: Readonly<Record<RunStatus, Look>> = {
  ok: { word: message("ok"), tone: "ok", icon: "ok", help: message("It ended well") },
  error: {
    word: message("failed"),
    tone: "danger",
    icon: "error",
    help: message("The job said that it failed"),
  },
  missed: {
    word: message("missed"),
    tone: "danger",
    icon: "warning",
    help: message("It did not begin within its margin"),
  },
  timeout: {
    word: message("timed out"),
    tone: "danger",
    icon: "clock",
    help: message("It began and did not end in its time"),
  },
  in_progress: {
    word: message("running"),
    tone: "info",
    icon: "refresh",
    help: message("It has not ended yet"),
  },
  unknown: {
    word: message("unknown"),
    tone: "neutral",
    icon: "ignored",
    help: message("Watchpost itself was away, or the job sent a status that means nothing"),
  },
};

export const STANDINGS = ["failing", "ok", "running", "waiting", "muted", "off"] as const;
export type Standing = (typeof STANDINGS)[number];

export const STANDING_LOOKS: Readonly<Record<Standing, Look>> = {
  failing: {
    word: message("failing"),
    tone: "danger",
    icon: "error",
    help: message("An incident is open"),
  },
  ok: { word: message("ok"), tone: "ok", icon: "ok", help: message("The last runs ended well") },
  running: {
    word: message("running"),
    tone: "info",
    icon: "refresh",
    help: message("Its first run has not ended yet"),
  },
  waiting: {
    word: message("waiting"),
    tone: "neutral",
    icon: "clock",
    help: message("No run has ended yet"),
  },
  muted: {
    word: message("muted"),
    tone: "neutral",
    icon: "ignored",
    help: message("Runs are kept, without notifications"),
  },
  off: {
    word: message("off"),
    tone: "neutral",
    icon: "minus",
    help: message("Check-ins are not taken"),
  },
};

/** How an environment stands, or a monitor that has none yet. */
export function standingOf(
  { isActive, isMuted }: Pick<Monitor, "isActive" | "isMuted">,
  state: Pick<MonitorEnvironment, "status" | "isFirstRunning" | "isMuted"> | null,
): Standing {
  if (!isActive) return "off";
  if (isMuted || state?.isMuted) return "muted";
  if (state === null) return "waiting";
  if (state.status === "active") return state.isFirstRunning ? "running" : "waiting";
  return state.status === "error" ? "failing" : "ok";
}
