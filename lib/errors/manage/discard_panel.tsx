import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatExactOf } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { sectionPath } from "../../ui/links.ts";
import { type Discard, MAX_DISCARDS } from "./discards.ts";

/** `/projects/7/settings/discards`: where its buttons lead. */
export function discardsPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/discards`;
}

interface DiscardPanelProps {
  readonly projectId: string;
  readonly discards: readonly Discard[];
  readonly mayChange: boolean;
}

/** Groups whose events are dropped, each with the way back. */
export function DiscardPanel({ projectId, discards, mayChange }: DiscardPanelProps) {
  return (
    <Panel
      title="Discarded issues"
      id="discards"
      description="Issues that were deleted so that what comes of their kind is dropped. Taken again, the next event opens a new issue."
      flush
    >
      {discards.length === 0
        ? (
          <p class="px-4 py-6 text-sm text-muted">
            None. An issue is discarded on its page, under Delete.
          </p>
        )
        : (
          <ul class="divide-y divide-line">
            {discards.map((discard) => (
              <li key={discard.id} class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
                <div class="min-w-0 flex-1 basis-60">
                  <p class="font-medium wrap-anywhere">
                    <bdi>{visible(discard.title)}</bdi>
                  </p>
                  <p class="text-sm text-muted">
                    {formatExactOf(discard.timesDropped, "events dropped")}
                    {discard.lastDroppedAt !== null && (
                      <>
                        , the last <RelativeTime date={discard.lastDroppedAt} />
                      </>
                    )}
                    {" · discarded "}
                    <RelativeTime date={discard.discardedAt} />
                    {discard.discardedBy !== "" && ` by ${visible(discard.discardedBy)}`}
                  </p>
                </div>
                {mayChange && (
                  <form method="post" action={discardsPath(projectId)}>
                    <Button size="sm" name="discard" value={discard.id}>Take events again</Button>
                  </form>
                )}
              </li>
            ))}
          </ul>
        )}
      {discards.length >= MAX_DISCARDS && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {`The latest ${MAX_DISCARDS} are shown.`}
        </p>
      )}
    </Panel>
  );
}
