import type { DeliveryState } from "../deliveries/deliveries.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import type { IconName } from "../../ui/components/icon.tsx";

const LOOKS: Record<DeliveryState, { tone: Tone; icon: IconName; help: string }> = {
  waiting: { tone: "warning", icon: "clock", help: "It is tried again by itself" },
  sent: { tone: "ok", icon: "ok", help: "The receiver has taken it" },
  failed: { tone: "danger", icon: "error", help: "It is not tried again by itself" },
};

/** What became of a delivery: colour, shape and word. */
export function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  const { tone, icon, help } = LOOKS[state];
  return <Badge tone={tone} icon={icon} title={help}>{state}</Badge>;
}
