import type { Issue } from "./issues.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import { LevelBadge } from "../ui/components/level_badge.tsx";
import { StatusBadge } from "../ui/components/status_badge.tsx";
import { visible } from "../ui/read.ts";

export interface IssueHeaderProps {
  readonly issue: Issue;
  /** The event on the page was caught by nobody. */
  readonly isUnhandled: boolean;
  /** Where the forms go and where they come back to; null for who may only look. */
  readonly forms: { readonly action: string; readonly back: string } | null;
}

/** What broke and where, how bad it is, and what can be done about it. */
export function IssueHeader({ issue, isUnhandled, forms }: IssueHeaderProps) {
  const { type, value } = issue.metadata;
  const culprit = visible(issue.culprit);
  return (
    <div class="mb-4 grid gap-x-6 gap-y-3 md:grid-cols-[minmax(0,1fr)_auto]">
      <div class="min-w-0">
        <h1 class="line-clamp-2 text-xl font-semibold wrap-anywhere">
          <bdi>{visible(type ?? issue.title)}</bdi>
        </h1>
        {type && value && (
          <p class="mt-0.5 line-clamp-2 wrap-anywhere" dir="auto">{visible(value)}</p>
        )}
        <div class="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
          <LevelBadge level={issue.level} />
          <StatusBadge status={issue.status} isRegressed={issue.isRegressed} />
          {isUnhandled && (
            <Badge tone="danger" icon="error" title="Nothing in the program caught it">
              unhandled
            </Badge>
          )}
          {culprit !== "" && (
            <bdi class="max-w-full min-w-0 truncate font-mono" title={culprit}>{culprit}</bdi>
          )}
        </div>
      </div>
      {forms && <IssueActions issue={issue} {...forms} />}
    </div>
  );
}

interface IssueActionsProps {
  readonly issue: Issue;
  readonly action: string;
  readonly back: string;
}

/** Changes of status that make sense now. */
function IssueActions({ issue, action, back }: IssueActionsProps) {
  return (
    <form method="post" action={action} class="flex flex-wrap items-start gap-2">
      <input type="hidden" name="back" value={back} />
      {issue.status === "unresolved"
        ? (
          <>
            <Button kind="primary" icon="check" name="action" value="resolve">Resolve</Button>
            <Button icon="ignored" name="action" value="ignore">Ignore</Button>
          </>
        )
        : (
          <>
            <Button icon="issues" name="action" value="unresolve">Unresolve</Button>
            {issue.status === "resolved"
              ? <Button icon="ignored" name="action" value="ignore">Ignore</Button>
              : <Button icon="check" name="action" value="resolve">Resolve</Button>}
          </>
        )}
    </form>
  );
}
