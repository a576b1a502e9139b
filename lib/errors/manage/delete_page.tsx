import { Button, LinkButton } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { formatCount } from "../../ui/format.ts";
import { issuePath } from "../../ui/links.ts";
import { ManagePage, managePath, type ManageView, mayOf } from "./frame.tsx";
import { t } from "../../core/language/translate.ts";

export interface DeleteView extends ManageView {
  /** How many issues were merged into it. */
  readonly merged: number;
  readonly shares: number;
}

/** What goes with an issue, asked before it goes. */
export function DeletePage(view: DeleteView) {
  const { project, issue } = view;
  const { mayDelete } = mayOf(view);
  return (
    <ManagePage view={view} page="delete">
      {!mayDelete && (
        <p class="mb-4 text-muted">
          {t(
            "Admins and owners of the organization can delete issues. What you can do is to archive it.",
          )}
        </p>
      )}
      <Panel title={t("What goes")} id="what-goes" class="mb-4">
        <ul class="list-disc space-y-1 pl-5">
          {goes(view).map((line) => <li key={line}>{line}</li>)}
        </ul>
        <p class="mt-3 text-sm text-muted">
          {t(
            "Feedback of users about these events stays, without them. The project's totals and its use of the quota stay as they are. None of it can be brought back.",
          )}
        </p>
      </Panel>
      {mayDelete && (
        <form
          method="post"
          action={managePath(project.id, issue.id, "delete")}
          class="grid gap-4 md:grid-cols-2"
        >
          <Panel title={t("Delete")} id="delete-only" danger>
            <p class="mb-3">{t("The next event of the same kind opens a new issue.")}</p>
            <Button kind="danger" icon="trash" name="action" value="delete">
              {t("Delete the issue")}
            </Button>
          </Panel>
          <Panel title={t("Delete and discard")} id="discard" danger>
            <p class="mb-3">
              {t(
                "What comes later of the same kind is dropped and counted as filtered, until you take it again in Settings → Filters.",
              )}
            </p>
            <Button kind="danger" icon="ignored" name="action" value="discard">
              {t("Delete and drop future events")}
            </Button>
          </Panel>
        </form>
      )}
      <p class="mt-4">
        <LinkButton href={issuePath(project.id, issue.id)}>{t("Keep it")}</LinkButton>
      </p>
    </ManagePage>
  );
}

function goes({ issue, merged, shares }: DeleteView): string[] {
  return [
    t(
      "{count} event with their attachments, as far as they are still kept|{count} events with their attachments, as far as they are still kept",
      { n: issue.timesSeen, count: formatCount(issue.timesSeen) },
    ),
    t(
      "the counts by hour and day, tags and {n} affected user of the issue|the counts by hour and day, tags and {n} affected users of the issue",
      { n: issue.usersSeen },
    ),
    t("its comments, activity, assignment, bookmarks and links to trackers"),
    ...merged === 0 ? [] : [
      t("{n} issue that had been merged into it|{n} issues that had been merged into it", {
        n: merged,
      }),
    ],
    ...shares === 0
      ? []
      : [t("{n} link by which it is shared|{n} links by which it is shared", { n: shares })],
  ];
}
