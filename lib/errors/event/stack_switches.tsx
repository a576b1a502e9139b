import { classes } from "../../ui/components/class_names.ts";
import type { FrameMode } from "./frame_groups.ts";
import type { FrameOrder } from "./stack_trace.tsx";

/** Where the page is found with the stack shown another way. */
export interface SwitchLinks {
  readonly mode: Readonly<Record<FrameMode, string>>;
  readonly order: Readonly<Record<FrameOrder, string>>;
}

export interface StackSwitchesProps {
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  readonly links: SwitchLinks;
}

/** Two choices as links: which frames stand by themselves, and from which end they are read. */
export function StackSwitches({ mode, order, links }: StackSwitchesProps) {
  return (
    <>
      <Switch
        label="Frames"
        current={mode}
        options={[["app", "In app", links.mode.app], ["all", "All frames", links.mode.all]]}
      />
      <Switch
        label="Order"
        current={order}
        options={[
          ["newest", "Newest first", links.order.newest],
          ["oldest", "Oldest first", links.order.oldest],
        ]}
      />
    </>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly current: string;
  readonly options: readonly (readonly [value: string, label: string, href: string])[];
}

function Switch({ label, current, options }: SwitchProps) {
  return (
    <nav aria-label={label}>
      <ul class="flex rounded-md border border-line-strong text-meta">
        {options.map(([value, text, href], index) => (
          <li key={value} class={classes(index > 0 && "border-l border-line-strong")}>
            <a
              href={href}
              aria-current={value === current ? "true" : undefined}
              class={classes(
                "block px-2 py-0.5 whitespace-nowrap",
                value === current ? "bg-accent-soft font-medium text-accent" : "text-muted",
                "hover:text-ink",
              )}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
