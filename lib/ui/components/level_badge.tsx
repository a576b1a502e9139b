import type { Level } from "../../records/mod.ts";
import { Badge, type Tone } from "./badge.tsx";
import type { IconName } from "./icon.tsx";

const LOOKS: Record<Level, { tone: Tone; icon: IconName }> = {
  fatal: { tone: "danger", icon: "fatal" },
  error: { tone: "danger", icon: "error" },
  warning: { tone: "warning", icon: "warning" },
  info: { tone: "info", icon: "info" },
  debug: { tone: "neutral", icon: "debug" },
};

/** The level of an event: colour, shape and word. */
export function LevelBadge({ level }: { readonly level: Level }) {
  const { tone, icon } = LOOKS[level];
  return <Badge tone={tone} icon={icon}>{level}</Badge>;
}
