import type { ComponentChildren } from "preact";
import { Icon } from "../../ui/components/icon.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { Nothing, RowTable } from "../../ui/components/table.tsx";
import { Change, Count, FailureShare, RelativeTime } from "../../ui/components/values.tsx";
import type { ArtifactBundle } from "../../sourcemaps/mod.ts";
import { formatBytes, formatDuration, formatPercent, NONE } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { queryHref, sourceMapsPath, transactionHref } from "../../ui/links.ts";
import type { Scope } from "../../ui/scope.ts";
import type { Commit } from "../commits.ts";
import type { Deploy } from "../deploys.ts";
import { commitHref } from "../repositories.ts";
import type { ComparedTransaction, ReleaseFigures } from "./load_release.ts";

const SHORT = 8;

/** The first line of a commit's message, who wrote it and when, with its page at the forge. */
export function CommitLine({ commit, children }: {
  readonly commit: Commit;
  readonly children?: ComponentChildren;
}) {
  const { message, commitId, repositoryUrl, authorName, authorEmail, committedAt } = commit;
  const href = commitHref(repositoryUrl, commitId);
  const [first = ""] = message.split("\n");
  const id = <code title={commitId}>{commitId.slice(0, SHORT)}</code>;
  return (
    <>
      <span class="block wrap-anywhere font-medium">{visible(first) || "No message"}</span>
      <span class="block text-meta text-muted">
        <span title={authorEmail}>{visible(authorName || authorEmail) || "Somebody"}</span>
        {" · "}
        <RelativeTime date={committedAt} />
        {" · "}
        {href === null ? id : <a class="link" href={href} rel="noreferrer">{id}</a>}
        {children}
      </span>
    </>
  );
}

/** The commits of a release. */
export function CommitPanel({ commits, total }: {
  readonly commits: readonly Commit[];
  readonly total: number;
}) {
  return (
    <Panel id="commits" title="Commits" flush>
      {commits.length === 0
        ? (
          <EmptyState icon="releases" title="No commits">
            <code>sentry-cli releases set-commits VERSION --auto</code> in the build tells of them.
          </EmptyState>
        )
        : (
          <ul class="divide-y divide-line">
            {commits.map((commit) => (
              <li key={`${commit.repositoryId}/${commit.commitId}`} class="px-4 py-2">
                <CommitLine commit={commit}>
                  {commit.repository !== "" && ` · ${visible(commit.repository)}`}
                </CommitLine>
              </li>
            ))}
          </ul>
        )}
      {total > commits.length && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          The newest {commits.length} of {total} commits are listed.
        </p>
      )}
    </Panel>
  );
}

/** What was uploaded for a release. */
export function ArtifactPanel({ projectId, version, bundles, hasMore }: {
  readonly projectId: string;
  readonly version: string;
  readonly bundles: readonly ArtifactBundle[];
  readonly hasMore: boolean;
}) {
  const path = sourceMapsPath(projectId);
  return (
    <Panel
      id="artifacts"
      title="Source maps"
      class="lg:col-span-2"
      flush
      actions={bundles.length > 0 && (
        <a class="link text-sm" href={queryHref(path, [["query", version]])}>Open the list</a>
      )}
    >
      {bundles.length === 0
        ? (
          <Nothing>
            Nothing was uploaded under this name. Files with debug ids need no release:{" "}
            <a class="link" href={path}>all uploads</a>.
          </Nothing>
        )
        : (
          <RowTable
            caption="Source maps"
            rows={bundles}
            rowKey={({ bundleId }) => bundleId}
            columns={[
              {
                label: "Upload",
                cell: ({ bundleId, dist }) => (
                  <a class="row-link font-mono" href={`${path}/${bundleId}`}>
                    {dist === "" ? bundleId.slice(0, SHORT) : `dist ${visible(dist)}`}
                  </a>
                ),
              },
              {
                label: "Files",
                align: "right",
                cell: ({ fileCount }) => <Count value={fileCount} unit="files" />,
              },
              {
                label: "Debug ids",
                align: "right",
                class: "max-sm:hidden",
                cell: ({ debugIdCount }) => <Count value={debugIdCount} unit="debug ids" />,
              },
              {
                label: "Size",
                align: "right",
                cellClass: "whitespace-nowrap",
                cell: ({ sizeBytes }) => formatBytes(sizeBytes),
              },
              {
                label: "Uploaded",
                align: "right",
                cellClass: "whitespace-nowrap",
                cell: ({ uploadedAt }) => <RelativeTime date={uploadedAt} />,
              },
            ]}
          />
        )}
      {hasMore && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          The newest {bundles.length} uploads are listed.
        </p>
      )}
    </Panel>
  );
}

/** Where a release was brought. */
export function DeployPanel({ deploys }: { readonly deploys: readonly Deploy[] }) {
  return (
    <Panel id="deploys" title="Deploys" flush>
      {deploys.length === 0
        ? (
          <EmptyState icon="releases" title="No deploys">
            <code>sentry-cli deploys new --release VERSION -e production</code>{" "}
            tells of one; it is marked on every chart.
          </EmptyState>
        )
        : (
          <ul class="divide-y divide-line">
            {deploys.map(({ id, environment, name, url, finishedAt }) => (
              <li key={id} class="flex flex-wrap justify-between gap-x-4 px-4 py-2">
                <span class="min-w-0 wrap-anywhere">
                  <strong class="font-medium">{visible(environment)}</strong>
                  {name !== "" && ` · ${visible(name)}`}
                  {/^https?:\/\//i.test(url) && (
                    <>
                      {" · "}
                      <a class="link" href={url} rel="noreferrer">Open</a>
                    </>
                  )}
                </span>
                <RelativeTime date={finishedAt} />
              </li>
            ))}
          </ul>
        )}
    </Panel>
  );
}

interface TransactionPanelProps {
  readonly projectId: string;
  readonly scope: Scope;
  readonly version: string;
  readonly base: string;
  readonly transactions: readonly ComparedTransaction[];
}

/** How fast transactions are in two releases. */
export function TransactionPanel(props: TransactionPanelProps) {
  const { projectId, scope, version, base, transactions } = props;
  return (
    <Panel
      id="transactions"
      title="Transactions"
      description={`Slower ones first, against ${visible(base)}`}
      flush
    >
      {transactions.length === 0
        ? (
          <EmptyState icon="transactions" title="Nothing to compare">
            No transaction has ten calls or more in both releases in this time.
          </EmptyState>
        )
        : (
          <RowTable
            caption="Transactions"
            rows={transactions}
            rowKey={({ name, op }) => `${op} ${name}`}
            columns={[
              {
                label: "Transaction",
                cellClass: "w-full max-w-0 min-w-40",
                cell: ({ name, op }) => (
                  <>
                    <a
                      class="row-link block truncate"
                      title={name}
                      href={transactionHref(projectId, { ...scope, releases: [version] }, name)}
                    >
                      <bdi>{visible(name)}</bdi>
                    </a>
                    <span class="block truncate text-meta text-muted">{visible(op)}</span>
                  </>
                ),
              },
              {
                label: "Count",
                align: "right",
                class: "max-md:hidden",
                cell: ({ count }) => <Count value={count} unit="transactions" />,
              },
              {
                label: "p95 before",
                align: "right",
                class: "max-sm:hidden",
                cell: ({ baseP95 }) => formatDuration(baseP95),
              },
              { label: "p95", align: "right", cell: ({ p95 }) => formatDuration(p95) },
              {
                label: "Change",
                align: "right",
                cell: ({ p95, baseP95 }) => <Change now={p95} before={baseP95} />,
              },
              {
                label: "Failures",
                align: "right",
                class: "max-md:hidden",
                cell: ({ failureRate }) => <FailureShare rate={failureRate} />,
              },
            ]}
          />
        )}
    </Panel>
  );
}

/** Points of a percentage that are no chance. */
const NOTABLE_POINTS = 0.1;

/** By how much a share changed, in points: 95 % against 99 % is not "about the same". */
export function PointsChange({ now, before, more }: {
  readonly now: number | null;
  readonly before: number | null;
  readonly more: "worse" | "better" | "neither";
}) {
  if (now === null || before === null) {
    return <span class="text-meta text-muted">no comparison</span>;
  }
  const points = (now - before) * 100;
  const isNotable = Math.abs(points) >= NOTABLE_POINTS;
  const isWorse = (more === "worse") === (points > 0);
  const tone = !isNotable || more === "neither"
    ? "text-muted"
    : isWorse
    ? "text-danger"
    : "text-ok";
  return (
    <span
      class={`inline-flex items-center gap-0.5 whitespace-nowrap text-meta tabular-nums ${tone}`}
      title="Percentage points"
    >
      {isNotable && <Icon name={points > 0 ? "sort-up" : "sort-down"} size={12} />}
      {isNotable ? `${Math.abs(points).toFixed(1)} points` : "about the same"}
    </span>
  );
}

/** The figures of a release against those of another, for a strip. */
export function figuresFor(now: ReleaseFigures, before: ReleaseFigures | null) {
  return [
    { label: "Crash-free sessions", value: formatPercent(now.crashFreeSessions) },
    { label: "Crash-free users", value: formatPercent(now.crashFreeUsers) },
    { label: "Adoption", value: formatPercent(now.adoption) },
    {
      label: "Sessions",
      value: now.adoption === null ? NONE : <Count value={now.sessions} unit="sessions" />,
    },
    {
      label: "Errors",
      value: <Count value={now.errors} unit="errors" />,
      ...before && { change: { now: now.errors, before: before.errors } },
    },
    {
      label: "New issues",
      value: <Count value={now.newIssues} unit="new issues" />,
      ...before && { change: { now: now.newIssues, before: before.newIssues } },
    },
  ];
}
