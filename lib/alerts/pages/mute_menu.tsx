import { Button } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Menu, MENU_ITEM_LOOK } from "../../ui/components/menu.tsx";

/** Minutes and what they are called. */
export const MUTE_TIMES = [[60, "For 1 hour"], [480, "For 8 hours"], [1_440, "For 1 day"]] as const;

export interface MuteMenuProps {
  readonly isMuted: boolean;
}

/** Holds the notices of an alert back for a while; states and history go on. */
export function MuteMenu({ isMuted }: MuteMenuProps) {
  return (
    <Menu
      buttonClass="inline-flex h-9 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
      button={
        <>
          <Icon name="ignored" />
          {isMuted ? "Muted" : "Mute"}
          <Icon name="chevron-down" size={12} class="text-muted" />
        </>
      }
      panelClass="w-64"
    >
      <form method="post">
        <input type="hidden" name="action" value="mute" />
        {MUTE_TIMES.map(([minutes, label]) => (
          <button
            key={minutes}
            type="submit"
            name="minutes"
            value={minutes}
            class={MENU_ITEM_LOOK}
          >
            {label}
          </button>
        ))}
      </form>
      <form method="post" class="mt-1 space-y-2 border-t border-line p-2">
        <input type="hidden" name="action" value="mute" />
        <label class="block text-sm">
          <span class="block text-meta text-muted">Until (UTC)</span>
          <input
            type="datetime-local"
            name="until"
            required
            class="h-8 w-full rounded-md border border-line-strong bg-surface px-2"
          />
        </label>
        <Button size="sm">Mute until then</Button>
      </form>
      {isMuted && (
        <form method="post" class="mt-1 border-t border-line pt-1">
          <button type="submit" name="action" value="unmute" class={MENU_ITEM_LOOK}>
            Unmute
          </button>
        </form>
      )}
    </Menu>
  );
}
