import { Icon } from "../../ui/components/icon.tsx";
import { type FrameGroup, type FrameMode, groupFrames, oldestFirst } from "./frame_groups.ts";
import { FrameRow } from "./frame_row.tsx";
import type { Frame } from "./stack.ts";

export type FrameOrder = "newest" | "oldest";

export interface StackTraceProps {
  /** Newest first. */
  readonly frames: readonly Frame[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  /** Whether the frame of interest stands open. @default true */
  readonly opensFrame?: boolean;
}

/** The calls that led to an error, in-app frames first to the eye, runs of library frames folded. */
export function StackTrace({ frames, mode, order, opensFrame = true }: StackTraceProps) {
  const groups = groupFrames(frames, mode);
  const ordered = order === "oldest" ? oldestFirst(groups) : groups;
  return (
    <ol class="rounded-md border border-line" aria-label="Stack trace">
      {ordered.map((group, index) => <Group key={index} group={group} opensFrame={opensFrame} />)}
    </ol>
  );
}

function Group(
  { group, opensFrame }: { readonly group: FrameGroup; readonly opensFrame: boolean },
) {
  switch (group.kind) {
    case "frame":
      return <FrameRow frame={group.frame} isOpen={group.isOpen && opensFrame} />;
    case "run":
      return <Run frames={group.frames} origins={group.origins} />;
    case "gap":
      return (
        <li class="border-b border-line px-3 py-1.5 pl-9 text-sm text-muted last:border-b-0">
          {`${group.count} frames were left out here`}
        </li>
      );
  }
}

interface RunProps {
  readonly frames: readonly Frame[];
  readonly origins: readonly string[];
}

function Run({ frames, origins }: RunProps) {
  return (
    <li class="border-b border-line last:border-b-0">
      <details class="group/run">
        <summary class="flex items-center gap-1.5 bg-canvas px-3 py-1.5 text-sm text-muted hover:text-ink">
          <Icon
            name="chevron-right"
            class="transition-transform group-open/run:rotate-90"
          />
          <span class="min-w-0 truncate">
            {`${frames.length} library frames`}
            {origins.length > 0 && (
              <span class="font-mono text-meta">{` · ${origins.join(", ")}`}</span>
            )}
          </span>
        </summary>
        <ol class="border-t border-line">
          {frames.map((frame, index) => <FrameRow key={index} frame={frame} isOpen={false} />)}
        </ol>
      </details>
    </li>
  );
}
