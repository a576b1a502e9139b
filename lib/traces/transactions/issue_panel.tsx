import type { RelatedIssue } from "./transaction_samples.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { Count } from "../../ui/components/count.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { issuePath } from "../../ui/links_issues.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import { sectionPath } from "../../ui/links.ts";

export interface IssuePanelProps {
  readonly projectId: string;
  readonly scope: Scope;
  readonly issues: readonly RelatedIssue[];
}

/** Issues whose errors happened in the traces of these transactions, as rows. */
export function IssuePanel({ projectId, scope, issues }: IssuePanelProps) {
  return (
    <Panel
      title="Issues in these transactions"
      description="Errors in the traces of the newest 500."
      flush
    >
      {issues.length === 0
        ? <p class="px-4 py-6 text-sm text-muted">No errors happened in them.</p>
        : (
          <Table
            caption="Issues in these transactions"
            columns={[
              { label: "Issue" },
              { label: "Events", align: "right" },
              { label: "Last seen", align: "right" },
            ]}
          >
            {issues.map((issue) => (
              <Row key={issue.issueId}>
                <Cell class="w-full max-w-0 min-w-40">
                  <a
                    class="row-link block truncate font-medium"
                    href={scopedHref(issuePath(projectId, issue.issueId), scope)}
                    title={issue.title}
                  >
                    <bdi>{issue.title}</bdi>
                  </a>
                  <span class="block truncate text-meta text-muted">{issue.culprit}</span>
                </Cell>
                <Cell align="right">
                  <Count value={issue.count} unit="events" />
                </Cell>
                <Cell align="right">
                  <RelativeTime date={issue.lastSeen} />
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      {issues.length > 0 && (
        <p class="border-t border-line px-4 py-2">
          <LinkButton size="sm" href={scopedHref(sectionPath(projectId, "issues"), scope)}>
            All issues
          </LinkButton>
        </p>
      )}
    </Panel>
  );
}
