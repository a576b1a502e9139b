import { Button } from "../../ui/components/button.tsx";
import { Alert, Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { issueWords } from "../monitor_words.ts";
import { eventPath } from "../../ui/links.ts";
import type { MergedIssue } from "../issue_merge.ts";
import { ManagePage, managePath, type ManageView, mayOf } from "./frame.tsx";
import { type IssueGroup, RECENT } from "./split.ts";
import { rich, t } from "../../core/language/translate.ts";

export interface GroupsView extends ManageView {
  readonly groups: readonly IssueGroup[];
  readonly merged: readonly MergedIssue[];
  readonly error: string | null;
}

/** The groups of events that an issue is made of, and the form that makes some of them an issue of their own. */
export function GroupsPage(view: GroupsView) {
  const { project, issue, groups, merged, error } = view;
  const { mayWrite } = mayOf(view);
  const maySplit = mayWrite && groups.length > 1;
  return (
    <ManagePage view={view} page="groups">
      {error !== null && <Alert kind="danger" isLive class="mb-4">{error}</Alert>}
      <form method="post" action={managePath(project.id, issue.id, "groups")}>
        <Panel
          title={t("Groups of events")}
          id="groups"
          description={groups.length > 1
            ? t(
              "Events of a group have the same stack, message or fingerprint. Chosen groups become an issue of their own, with their events and what comes for them later.",
            )
            : t("All events of this issue are of one group: there is nothing to split.")}
          flush
        >
          <ul class="divide-y divide-line">
            {groups.map((group) => (
              <li key={group.hash} class="px-4 py-2.5">
                <GroupItem
                  group={group}
                  projectId={project.id}
                  issue={issue}
                  hasChoice={maySplit}
                  merged={merged.find(({ id }) => id === group.mergedFrom) ?? null}
                />
              </li>
            ))}
          </ul>
          {maySplit && (
            <div class="border-t border-line px-4 py-3">
              <Button icon="merge" name="action" value="split">
                {t("Split the chosen groups off")}
              </Button>
            </div>
          )}
        </Panel>
      </form>
    </ManagePage>
  );
}

interface GroupItemProps {
  readonly group: IssueGroup;
  readonly projectId: string;
  readonly issue: GroupsView["issue"];
  readonly hasChoice: boolean;
  readonly merged: MergedIssue | null;
}

function GroupItem({ group, projectId, issue, hasChoice, merged }: GroupItemProps) {
  const { hash, latest, recentEvents } = group;
  return (
    <div class="flex items-start gap-3">
      {hasChoice && (
        <input
          type="checkbox"
          name="hash"
          value={hash}
          id={`group-${hash}`}
          class="mt-1 size-4 shrink-0 accent-accent-fill"
        />
      )}
      <div class="min-w-0 flex-1">
        <label for={hasChoice ? `group-${hash}` : undefined} class="font-medium wrap-anywhere">
          {latest === null
            ? (
              <span class="text-muted">
                {t("None of the newest {n} event|None of the newest {n} events", { n: RECENT })}
              </span>
            )
            : <bdi>{issueWords({ ...latest, culprit: issue.culprit }).title}</bdi>}
        </label>
        <p class="mt-0.5 flex flex-wrap gap-x-2 gap-y-0.5 text-sm text-muted">
          <code class="text-meta" title={hash}>{hash.slice(0, 8)}</code>
          {latest !== null && (
            <>
              <span
                title={t(
                  "Among the newest {n} event of the issue|Among the newest {n} events of the issue",
                  { n: RECENT },
                )}
              >
                {t("{n} recent event|{n} recent events", { n: recentEvents })}
              </span>
              <a class="link" href={eventPath(projectId, issue.id, latest.eventId)}>
                {rich("newest {time}", {
                  time: <RelativeTime date={latest.timestamp} />,
                })}
              </a>
            </>
          )}
          {merged !== null && (
            <span>{t("came with “{title}”", { title: issueWords(merged).title })}</span>
          )}
        </p>
      </div>
    </div>
  );
}
