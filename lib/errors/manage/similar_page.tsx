import { Badge, LevelBadge, StatusBadge } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatCount, formatPercent } from "../../ui/format.ts";
import { issuePath } from "../../ui/links.ts";
import { shortIdOf } from "../workflow/short_id.ts";
import { ManagePage, managePath, type ManageView, mayOf } from "./frame.tsx";
import type { Likeness, SimilarIssue } from "./similar.ts";
import { rich, t } from "../../core/language/translate.ts";
import { issueWords } from "../monitor_words.ts";

export interface SimilarView extends ManageView {
  readonly similar: readonly SimilarIssue[];
}

/** Issues that may be one with this, each with the reasons and the button that makes them one. */
export function SimilarPage(view: SimilarView) {
  const { project, issue, similar } = view;
  const { mayWrite } = mayOf(view);
  return (
    <ManagePage view={view} page="similar">
      <Panel
        title={t("Similar issues")}
        id="similar"
        description={t(
          "Compared are the type, the message without what varies, the place, and the application's calls of the newest events. A merge can be taken back.",
        )}
        flush
      >
        {similar.length === 0
          ? (
            <EmptyState icon="search" title={t("No similar issue")}>
              {t("No other issue of {name} has much in common with this one.", {
                name: project.name,
              })}
            </EmptyState>
          )
          : (
            <ul class="divide-y divide-line">
              {similar.map((each) => (
                <li
                  key={each.issue.id}
                  class="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3"
                >
                  <SimilarItem {...each} slug={project.slug} projectId={project.id} />
                  {mayWrite && (
                    <form method="post" action={managePath(project.id, issue.id, "similar")}>
                      <input type="hidden" name="other" value={each.issue.id} />
                      <Button
                        size="sm"
                        icon="merge"
                        name="action"
                        value="merge"
                        aria-label={t("Merge with {issue}", {
                          issue: shortIdOf(project.slug, each.issue.number),
                        })}
                      >
                        {t("Merge")}
                      </Button>
                    </form>
                  )}
                </li>
              ))}
            </ul>
          )}
      </Panel>
    </ManagePage>
  );
}

interface SimilarItemProps extends SimilarIssue {
  readonly slug: string;
  readonly projectId: string;
}

function SimilarItem({ issue, score, likeness, slug, projectId }: SimilarItemProps) {
  return (
    <div class="min-w-0 flex-1 basis-72">
      <p class="flex flex-wrap items-baseline gap-x-2">
        <a class="link min-w-0 font-medium wrap-anywhere" href={issuePath(projectId, issue.id)}>
          <bdi>{issueWords(issue).title}</bdi>
        </a>
        <Badge tone="accent" title={t("Of all that both issues tell")}>
          {t("{score} alike", { score: formatPercent(score) })}
        </Badge>
      </p>
      <p class="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm text-muted">
        <span>{shortIdOf(slug, issue.number)}</span>
        <LevelBadge level={issue.level} />
        <StatusBadge status={issue.status} substatus={issue.substatus} />
        <span title={t("{n} event|{n} events", { n: issue.timesSeen })}>
          {t("{count} event|{count} events", {
            n: issue.timesSeen,
            count: formatCount(issue.timesSeen),
          })}
        </span>
        <span>
          {rich("last seen {time}", { time: <RelativeTime date={issue.lastSeen} /> })}
        </span>
      </p>
      <p class="mt-1 text-sm text-muted">{reasons(likeness).join(" · ")}</p>
    </div>
  );
}

/** Less is no reason. */
const NOTABLE = 0.1;

/** Why two issues are taken for alike, in words. */
export function reasons({ type, message, culprit, stack }: Likeness): string[] {
  return [
    ...type === 1 ? [t("same type")] : type === 0 ? [t("another type")] : [],
    ...message === null || message < NOTABLE
      ? []
      : [t("message {share} the same", { share: formatPercent(message) })],
    ...stack === null || stack < NOTABLE
      ? []
      : [t("calls {share} the same", { share: formatPercent(stack) })],
    ...culprit === 1 ? [t("same place")] : [],
  ];
}
