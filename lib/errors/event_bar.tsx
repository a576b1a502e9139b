import { classes } from "../ui/components/class_names.ts";
import { CopyButton } from "../ui/components/copy_button.tsx";
import { ExactTime } from "../ui/components/exact_time.tsx";
import { Icon, type IconName } from "../ui/components/icon.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";

export interface EventBarProps {
  readonly eventId: string;
  readonly timestamp: Date;
  readonly links: {
    /** null where the event on the page is the first or last itself. */
    readonly oldest: string | null;
    readonly older: string | null;
    readonly newer: string | null;
    readonly newest: string | null;
    readonly all: string;
    readonly json: string;
  };
}

/** Which event of the issue is shown, and the way to the others. */
export function EventBar({ eventId, timestamp, links }: EventBarProps) {
  return (
    <div class="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-canvas px-4 py-2">
      <h2 class="flex min-w-0 items-center gap-1.5 font-semibold">
        Event
        <code id="event-id" class="min-w-0 truncate text-meta font-normal" title={eventId}>
          {eventId}
        </code>
        <CopyButton target="event-id" what="event id" isCompact />
      </h2>
      <p class="text-sm text-muted">
        <RelativeTime date={timestamp} />
        <span class="max-sm:hidden">
          {" · "}
          <ExactTime date={timestamp} />
        </span>
      </p>
      <div class="ml-auto flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <nav aria-label="Events of this issue">
          <ul class="flex">
            <Step href={links.oldest} icon="chevrons-left" label="Oldest event" />
            <Step href={links.older} icon="chevron-left" label="Older event" />
            <Step href={links.newer} icon="chevron-right" label="Newer event" />
            <Step href={links.newest} icon="chevrons-right" label="Newest event" />
          </ul>
        </nav>
        <a class="link" href={links.all}>All events</a>
        <a class="link" href={links.json}>JSON</a>
      </div>
    </div>
  );
}

interface StepProps {
  readonly href: string | null;
  readonly icon: IconName;
  readonly label: string;
}

const STEP_LOOK = "flex size-7 items-center justify-center border border-line-strong";

function Step({ href, icon, label }: StepProps) {
  return (
    <li class="-ml-px first:ml-0">
      {href === null
        ? (
          <span
            class={classes(STEP_LOOK, "text-faint opacity-50")}
            role="link"
            aria-disabled="true"
            aria-label={label}
          >
            <Icon name={icon} size={14} />
          </span>
        )
        : (
          <a
            href={href}
            aria-label={label}
            title={label}
            class={classes(STEP_LOOK, "bg-surface hover:bg-hover")}
          >
            <Icon name={icon} size={14} />
          </a>
        )}
    </li>
  );
}
