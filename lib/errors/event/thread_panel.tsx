import { Badge } from "../../ui/components/badge.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import type { Thread } from "./event_view.ts";
import type { FrameMode } from "./frame_groups.ts";
import { type FrameOrder, StackTrace } from "./stack_trace.tsx";

export interface ThreadPanelProps {
  /** The crashed one first. */
  readonly threads: readonly Thread[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
}

/** What every thread was doing; the one that crashed stands open. */
export function ThreadPanel({ threads, mode, order }: ThreadPanelProps) {
  return (
    <Panel id="threads" title={`Threads (${threads.length})`} flush>
      <ul>
        {threads.map((thread, index) => (
          <li key={index} class="border-b border-line last:border-b-0">
            {thread.frames.length === 0
              ? (
                <div class="flex items-center gap-1.5 px-4 py-2 pl-9 text-sm">
                  <ThreadHead thread={thread} />
                  <span class="text-muted">no stack</span>
                </div>
              )
              : (
                <details class="group/thread" open={thread.isCrashed && index === 0}>
                  <summary class="flex items-center gap-1.5 px-4 py-2 text-sm hover:bg-hover">
                    <Icon
                      name="chevron-right"
                      class="text-muted transition-transform group-open/thread:rotate-90"
                    />
                    <ThreadHead thread={thread} />
                  </summary>
                  <div class="px-4 pb-4">
                    <StackTrace frames={thread.frames} mode={mode} order={order} />
                  </div>
                </details>
              )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ThreadHead({ thread }: { readonly thread: Thread }) {
  const { id, name, isCrashed, isCurrent, state } = thread;
  return (
    <>
      <span class="min-w-0 font-mono wrap-anywhere">{name || `Thread ${id}`}</span>
      {name !== "" && id !== "" && <span class="text-muted">#{id}</span>}
      {state !== "" && <span class="text-muted">{state}</span>}
      {isCrashed && <Badge tone="danger" icon="error">crashed</Badge>}
      {isCurrent && !isCrashed && <Badge>current</Badge>}
    </>
  );
}
