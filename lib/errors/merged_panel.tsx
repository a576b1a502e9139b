import type { MergedIssue } from "./issue_merge.ts";
import { Button } from "../ui/components/button.tsx";
import { Count } from "../ui/components/count.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/relative_time.tsx";
import { visible } from "../ui/read.ts";

export interface MergedPanelProps {
  readonly merged: readonly MergedIssue[];
  /** Where the forms go and where they come back to; null for who may only look. */
  readonly forms: { readonly action: string; readonly back: string } | null;
}

/** What was merged into the issue, each with the way out; nothing when nothing was. */
export function MergedPanel({ merged, forms }: MergedPanelProps) {
  if (merged.length === 0) return null;
  return (
    <Panel
      title="Merged issues"
      class="mb-4"
      description="Unmerging gives an issue the events back that it had before. What came since then stays here."
    >
      <ul class="divide-y divide-line">
        {merged.map((issue) => (
          <li key={issue.id} class="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
            <div class="min-w-0 flex-1 basis-60">
              <p class="truncate font-medium" title={visible(issue.title)}>
                <bdi>{visible(issue.title)}</bdi>
              </p>
              <p class="text-meta text-muted">
                #{issue.id} · <Count value={issue.timesSeen} unit="events" /> · merged{" "}
                <RelativeTime date={issue.mergedAt} />
              </p>
            </div>
            {forms && (
              <form method="post" action={forms.action}>
                <input type="hidden" name="back" value={forms.back} />
                <input type="hidden" name="merged" value={issue.id} />
                <Button size="sm" name="action" value="unmerge">Unmerge</Button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
