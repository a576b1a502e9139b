import { Icon } from "../ui/components/icon.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import type { FirstEventView } from "./first_event.ts";

export interface FirstEventStatusProps {
  /** null while nothing has arrived. */
  readonly first: FirstEventView | null;
}

/** One line that says whether the project receives anything. */
export function FirstEventStatus({ first }: FirstEventStatusProps) {
  if (first === null) {
    return (
      <p class="flex items-center gap-2.5 rounded-lg border border-line bg-canvas px-4 py-3">
        <span class="relative flex size-3 shrink-0" aria-hidden="true">
          <span class="absolute inset-0 rounded-full bg-warning-fill opacity-60 motion-safe:animate-ping" />
          <span class="relative size-3 rounded-full bg-warning-fill" />
        </span>
        <span class="min-w-0">
          <strong class="font-semibold">Waiting for the first data…</strong>{" "}
          <span class="text-muted scripted:hidden">
            <a href="" class="link">Look again</a>
          </span>
        </span>
      </p>
    );
  }
  return (
    <p class="flex items-center gap-2.5 rounded-lg border border-ok bg-ok-soft px-4 py-3">
      <Icon name="ok" class="text-ok" />
      <span class="min-w-0">
        <strong class="font-semibold text-ok">First data received</strong>
        {first.what && `: ${first.what}`} <RelativeTime date={new Date(first.at)} />.{" "}
        {first.href && <a href={first.href} class="link font-medium">Open it</a>}
      </span>
    </p>
  );
}
