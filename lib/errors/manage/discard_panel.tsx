import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { issueWords } from "../monitor_words.ts";
import { sectionPath } from "../../ui/links.ts";
import { type Discard, MAX_DISCARDS } from "./discards.ts";
import { rich, t } from "../../core/language/translate.ts";

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
      title={t("Discarded issues")}
      id="discards"
      description={t(
        "Issues that were deleted so that what comes of their kind is dropped. Taken again, the next event opens a new issue.",
      )}
      flush
    >
      {discards.length === 0
        ? (
          <p class="px-4 py-6 text-sm text-muted">
            {t("None. An issue is discarded on its page, under Delete.")}
          </p>
        )
        : (
          <ul class="divide-y divide-line">
            {discards.map((discard) => (
              <li key={discard.id} class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
                <div class="min-w-0 flex-1 basis-60">
                  <p class="font-medium wrap-anywhere">
                    <bdi>{issueWords(discard).title}</bdi>
                  </p>
                  <p class="text-sm text-muted">
                    <DroppedWords discard={discard} />
                    {" · "}
                    {discard.discardedBy === ""
                      ? rich("discarded {time}", {
                        time: <RelativeTime date={discard.discardedAt} />,
                      })
                      : rich("discarded {time} by {person}", {
                        time: <RelativeTime date={discard.discardedAt} />,
                        person: visible(discard.discardedBy),
                      })}
                  </p>
                </div>
                {mayChange && (
                  <form method="post" action={discardsPath(projectId)}>
                    <Button size="sm" name="discard" value={discard.id}>
                      {t("Take events again")}
                    </Button>
                  </form>
                )}
              </li>
            ))}
          </ul>
        )}
      {discards.length >= MAX_DISCARDS && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {t("The latest {n} are shown.", { n: MAX_DISCARDS })}
        </p>
      )}
    </Panel>
  );
}

function DroppedWords({ discard: { timesDropped, lastDroppedAt } }: { readonly discard: Discard }) {
  if (lastDroppedAt === null) {
    return <>{t("{n} event dropped|{n} events dropped", { n: timesDropped })}</>;
  }
  return (
    <>
      {rich("{n} event dropped, the last {time}|{n} events dropped, the last {time}", {
        n: timesDropped,
        time: <RelativeTime date={lastDroppedAt} />,
      })}
    </>
  );
}
