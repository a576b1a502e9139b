import type { ComponentChildren } from "preact";
import { Icon } from "../../ui/components/icon.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { Change, Count, FailureShare, RelativeTime } from "../../ui/components/values.tsx";
import type { ArtifactBundle } from "../../sourcemaps/mod.ts";
import {
  formatBytes,
  formatDuration,
  formatPercent,
  NONE,
  withDecimalMark,
} from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { queryHref, sourceMapsPath, transactionHref } from "../../ui/links.ts";
import { type CliClient, CliCommands } from "../../ui/cli_commands.tsx";
import type { Scope } from "../../ui/scope.ts";
import type { Commit } from "../commits.ts";
import type { Deploy } from "../deploys.ts";
import { commitHref } from "../repositories.ts";
import type { ComparedTransaction, ReleaseFigures } from "./load_release.ts";
import { rich, t } from "../../core/language/translate.ts";

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
      <span class="block wrap-anywhere font-medium">{visible(first) || t("No message")}</span>
      <span class="block text-meta text-muted">
        <span title={authorEmail}>{visible(authorName || authorEmail) || t("Somebody")}</span>
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
    <Panel id="commits" title={t("Commits")} flush>
      <ul class="divide-y divide-line">
        {commits.map((commit) => (
          <li key={`${commit.repositoryId}/${commit.commitId}`} class="px-4 py-2">
            <CommitLine commit={commit}>
              {commit.repository !== "" && ` · ${visible(commit.repository)}`}
            </CommitLine>
          </li>
        ))}
      </ul>
      {total > commits.length && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {t(
            "The newest {shown} of {n} commit are listed.|The newest {shown} of {n} commits are listed.",
            { shown: commits.length, n: total },
          )}
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
      title={t("Source maps")}
      class="lg:col-span-2"
      flush
      actions={
        <a class="link text-sm" href={queryHref(path, [["query", version]])}>
          {t("Open the list")}
        </a>
      }
    >
      <RowTable
        caption={t("Source maps")}
        rows={bundles}
        rowKey={({ bundleId }) => bundleId}
        columns={[
          {
            label: t("Upload"),
            cell: ({ bundleId, dist }) => (
              <a class="row-link font-mono" href={`${path}/${bundleId}`}>
                {dist === "" ? bundleId.slice(0, SHORT) : t("dist {dist}", { dist: visible(dist) })}
              </a>
            ),
          },
          {
            label: t("Files"),
            align: "right",
            cell: ({ fileCount }) => <Count value={fileCount} unit="{n} file|{n} files" />,
          },
          {
            label: t("Debug ids"),
            align: "right",
            class: "max-sm:hidden",
            cell: ({ debugIdCount }) => (
              <Count value={debugIdCount} unit="{n} debug id|{n} debug ids" />
            ),
          },
          {
            label: t("Size"),
            align: "right",
            cellClass: "whitespace-nowrap",
            cell: ({ sizeBytes }) => formatBytes(sizeBytes),
          },
          {
            label: t("Uploaded"),
            align: "right",
            cellClass: "whitespace-nowrap",
            cell: ({ uploadedAt }) => <RelativeTime date={uploadedAt} />,
          },
        ]}
      />
      {hasMore && (
        <p class="border-t border-line px-4 py-2 text-sm text-muted">
          {t("The newest {n} upload is listed.|The newest {n} uploads are listed.", {
            n: bundles.length,
          })}
        </p>
      )}
    </Panel>
  );
}

/** Where a release was brought. */
export function DeployPanel({ deploys }: { readonly deploys: readonly Deploy[] }) {
  return (
    <Panel id="deploys" title={t("Deploys")} flush>
      <ul class="divide-y divide-line">
        {deploys.map(({ id, environment, name, url, finishedAt }) => (
          <li key={id} class="flex flex-wrap justify-between gap-x-4 px-4 py-2">
            <span class="min-w-0 wrap-anywhere">
              <strong class="font-medium">{visible(environment)}</strong>
              {name !== "" && ` · ${visible(name)}`}
              {/^https?:\/\//i.test(url) && (
                <>
                  {" · "}
                  <a class="link" href={url} rel="noreferrer">{t("Open")}</a>
                </>
              )}
            </span>
            <RelativeTime date={finishedAt} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface UntoldPanelProps {
  readonly projectId: string;
  readonly version: string;
  readonly client: CliClient;
  readonly lacksCommits: boolean;
  readonly lacksDeploys: boolean;
  readonly lacksFiles: boolean;
}

/** What no build has told of a release, and how one tells it. Renders nothing where all is told. */
export function UntoldPanel(props: UntoldPanelProps) {
  const { projectId, client, lacksCommits, lacksDeploys, lacksFiles } = props;
  // Others mean something to a shell: nobody shall paste what an event said.
  const version = /^\w[\w@.+-]*$/.test(props.version) ? props.version : "VERSION";
  if (!lacksCommits && !lacksDeploys && !lacksFiles) return null;
  return (
    <Panel
      id="untold"
      title={t("Not told yet")}
      description={t("A build tells it with sentry-cli, or by the API.")}
      class="lg:col-span-2"
    >
      <div class="mb-4">
        <CliCommands
          id="cli-settings"
          label={t("Settings of sentry-cli")}
          client={client}
          commands=""
        />
      </div>
      <dl class="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[max-content_1fr]">
        {lacksCommits && (
          <Untold
            title={t("Commits")}
            command={`sentry-cli releases set-commits ${version} --auto`}
          >
            {t("Who changed what, and who may have broken it.")}
          </Untold>
        )}
        {lacksDeploys && (
          <Untold
            title={t("Deploys")}
            command={`sentry-cli deploys new --release ${version} -e production`}
          >
            {t("Marked on every chart.")}
          </Untold>
        )}
        {lacksFiles && (
          <Untold
            title={t("Source maps")}
            command={`sentry-cli sourcemaps upload --release ${version} dist`}
          >
            {rich("Files with debug ids need no release: <a>all uploads</a>.", {
              a: (words) => <a class="link" href={sourceMapsPath(projectId)}>{words}</a>,
            })}
          </Untold>
        )}
      </dl>
    </Panel>
  );
}

function Untold({ title, command, children }: {
  readonly title: string;
  readonly command: string;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <dt class="font-medium">{title}</dt>
      <dd class="min-w-0">
        <code class="wrap-anywhere">{command}</code>
        <span class="block text-muted">{children}</span>
      </dd>
    </>
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
      title={t("Transactions")}
      description={t("Slower ones first, against {release}", { release: visible(base) })}
      flush
    >
      {transactions.length === 0
        ? (
          <EmptyState icon="transactions" title={t("Nothing to compare")}>
            {t("No transaction has ten calls or more in both releases in this time.")}
          </EmptyState>
        )
        : (
          <RowTable
            caption={t("Transactions")}
            rows={transactions}
            rowKey={({ name, op }) => `${op} ${name}`}
            columns={[
              {
                label: t("Transaction"),
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
                label: t("Count"),
                align: "right",
                class: "max-md:hidden",
                cell: ({ count }) => (
                  <Count
                    value={count}
                    unit="{n} transaction|{n} transactions"
                  />
                ),
              },
              {
                label: t("p95 before"),
                align: "right",
                class: "max-sm:hidden",
                cell: ({ baseP95 }) => formatDuration(baseP95),
              },
              { label: "p95", align: "right", cell: ({ p95 }) => formatDuration(p95) },
              {
                label: t("Change@@noun"),
                align: "right",
                cell: ({ p95, baseP95 }) => <Change now={p95} before={baseP95} />,
              },
              {
                label: t("Failures"),
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
    return <span class="text-meta text-muted">{t("no comparison")}</span>;
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
      title={t("Percentage points")}
    >
      {isNotable && <Icon name={points > 0 ? "sort-up" : "sort-down"} size={12} />}
      {isNotable
        ? t("{points} points", { points: withDecimalMark(Math.abs(points).toFixed(1)) })
        : t("about the same")}
    </span>
  );
}

/** The figures of a release against those of another, for a strip. */
export function figuresFor(now: ReleaseFigures, before: ReleaseFigures | null) {
  return [
    { label: t("Crash-free sessions"), value: formatPercent(now.crashFreeSessions) },
    { label: t("Crash-free users"), value: formatPercent(now.crashFreeUsers) },
    { label: t("Adoption"), value: formatPercent(now.adoption) },
    {
      label: t("Sessions@@release health"),
      value: now.adoption === null
        ? NONE
        : <Count value={now.sessions} unit="{n} session|{n} sessions@@release health" />,
    },
    {
      label: t("Errors"),
      value: <Count value={now.errors} unit="{n} error|{n} errors" />,
      ...before && { change: { now: now.errors, before: before.errors } },
    },
    {
      label: t("New issues"),
      value: <Count value={now.newIssues} unit="{n} new issue|{n} new issues" />,
      ...before && { change: { now: now.newIssues, before: before.newIssues } },
    },
  ];
}
