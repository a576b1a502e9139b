import type { ComponentChildren } from "preact";
import { TimeChart } from "../../ui/charts/time_chart.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Nothing } from "../../ui/components/table.tsx";
import { FigureStrip, RelativeTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { compareReleasesPath, releasePath, sectionPath } from "../../ui/links.ts";
import { scopedHref } from "../../ui/scope.ts";
import { alongPage, ChartBox, ProjectPage } from "../../ui/scoped_page.tsx";
import type { PageView } from "../request_scope.ts";
import { crashFree } from "./load_list.ts";
import type { ReleaseData } from "./load_release.ts";
import {
  ArtifactPanel,
  CommitPanel,
  DeployPanel,
  figuresFor,
  TransactionPanel,
  UntoldPanel,
} from "./parts.tsx";
import type { CliClient } from "../../ui/cli_commands.tsx";
import { rich, t } from "../../core/language/translate.ts";

/** A list of issues, drawn by who knows issues. */
export interface IssueSlot {
  readonly id: string;
  readonly title: string;
  /** The same as a list of issues; null for none. */
  readonly href: string | null;
  /** What is to say of an empty one; null where there is something. */
  readonly none: string | null;
  readonly list: ComponentChildren;
}

export interface ReleaseView extends ReleaseData, PageView {
  readonly issues: readonly IssueSlot[];
  /** For what no build has told. */
  readonly client: CliClient;
}

/** One release: how it does along time, what is new in it, who changed what, where it was brought. */
export function ReleasePage({ shell, pageScope, issues, client, ...view }: ReleaseView) {
  const { release, base, figures, baseFigures, transactions } = view;
  const { bundles, commits, deploys } = view;
  const { project, scope } = pageScope;
  const { version, url, releasedAt, createdAt, madeBy } = release;
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="releases"
      path={releasePath(project.id)}
      keep={{ version }}
      title={<span class="font-mono">{visible(version)}</span>}
      crumbs={[{ label: visible(version) }]}
      description={
        <>
          {rich(
            releasedAt !== null
              ? "Released {time}"
              : madeBy === "tool"
              ? "Made {time}"
              : "First heard of {time}",
            { time: <RelativeTime date={releasedAt ?? createdAt} /> },
          )}
          {/^https?:\/\//i.test(url) && (
            <>
              {" · "}
              <a class="link" href={url} rel="noreferrer">{visible(url)}</a>
            </>
          )}
        </>
      }
      actions={
        <>
          <LinkButton
            href={scopedHref(sectionPath(project.id, "issues"), { ...scope, releases: [version] })}
          >
            {t("All its issues")}
          </LinkButton>
          {base !== null && (
            <LinkButton
              href={scopedHref(compareReleasesPath(project.id), { ...scope, releases: [] }, {
                base,
                version,
              })}
            >
              {t("Compare with {release}", { release: visible(base) })}
            </LinkButton>
          )}
        </>
      }
    >
      <FigureStrip figures={figuresFor(figures, baseFigures)} />
      <HealthCharts pageScope={pageScope} {...view} />
      <div class="mt-4 grid min-w-0 gap-4 lg:grid-cols-2">
        {issues.filter(({ none }) => none === null).map(({ id, title, href, list }) => (
          <Panel
            key={id}
            id={id}
            title={title}
            flush
            class="lg:col-span-2"
            actions={href && <a class="link text-sm" href={href}>{t("Open the list")}</a>}
          >
            {list}
          </Panel>
        ))}
        <NoIssues issues={issues} />
        {bundles.length > 0 && (
          <ArtifactPanel
            projectId={project.id}
            bundles={bundles}
            hasMore={view.hasMoreBundles}
            version={version}
          />
        )}
        {commits.length > 0 && <CommitPanel commits={commits} total={release.commitCount} />}
        {deploys.length > 0 && <DeployPanel deploys={deploys} />}
        <UntoldPanel
          projectId={project.id}
          version={version}
          client={client}
          lacksCommits={commits.length === 0}
          lacksDeploys={deploys.length === 0}
          lacksFiles={bundles.length === 0}
        />
        {base !== null && (
          <div class="min-w-0 lg:col-span-2">
            <TransactionPanel
              projectId={project.id}
              scope={scope}
              version={version}
              base={base}
              transactions={transactions}
            />
          </div>
        )}
      </div>
    </ProjectPage>
  );
}

/** The empty lists in one place: each alone would take a panel to say nothing. */
function NoIssues({ issues }: Pick<ReleaseView, "issues">) {
  const sentences = issues.flatMap(({ none }) => none === null ? [] : [`${none}.`]);
  return sentences.length > 0 && (
    <Panel class="lg:col-span-2" flush>
      <Nothing>{sentences.join(" ")}</Nothing>
    </Panel>
  );
}

function HealthCharts(
  { pageScope, course, times, stepMs, release, markers, figures }: Pick<
    ReleaseView,
    "pageScope" | "course" | "times" | "stepMs" | "release" | "markers" | "figures"
  >,
) {
  const { version } = release;
  // Sessions of other programs are no adoption of this one.
  if (figures.adoption === null) {
    return (
      <Panel class="mt-4" flush>
        <Nothing>
          {t(
            "No sessions in this time. SDKs count them by themselves once they have a release: then it shows here how many crash, and how far each release is out.",
          )}
        </Nothing>
      </Panel>
    );
  }
  const along = alongPage(
    { ...pageScope, markers },
    { times, stepMs },
    releasePath(pageScope.project.id),
    {
      version,
    },
  );
  return (
    <div class="mt-4 grid min-w-0 gap-4 lg:grid-cols-2">
      <ChartBox>
        <TimeChart
          {...along}
          id="crash-free"
          title={t("Without a crash")}
          unit="percent"
          note={t("Users are those of the day")}
          series={[
            {
              label: t("Sessions@@release health"),
              values: course.map((at) => crashFree(at.crashedSessions, at.sessions)),
            },
            { label: t("Users"), values: course.map((at) => crashFree(at.crashedUsers, at.users)) },
          ]}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...along}
          id="adoption"
          title={t("Adoption")}
          unit="percent"
          note={t("Share of all sessions")}
          series={[{
            label: visible(version),
            kind: "area",
            values: course.map(({ sessions, allSessions }) =>
              allSessions === 0 ? null : sessions / allSessions
            ),
          }]}
        />
      </ChartBox>
    </div>
  );
}
