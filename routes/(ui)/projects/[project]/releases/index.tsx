import { ScopedPage } from "@/lib/ui/scoped_page.tsx";
import { HOUR_MS } from "@/lib/core/time.ts";
import { page } from "fresh";
import type { Project } from "@/lib/accounts/projects.ts";
import { type ReleaseHealth, releaseHealth, sessionsByHour } from "@/lib/releases/health.ts";
import { ceilTo, floorTo } from "@/lib/store/query_limits.ts";
import { environmentsOf, releasesOf } from "@/lib/store/stats/series_names.ts";
import { BarChart } from "@/lib/ui/charts/bar_chart.tsx";
import { Cell, Row, Table } from "@/lib/ui/components/table.tsx";
import { Count, RelativeTime } from "@/lib/ui/components/values.tsx";
import { EmptyState, Panel } from "@/lib/ui/components/panel.tsx";
import { PageHeader } from "@/lib/ui/components/page.tsx";
import { visible } from "@/lib/ui/json.ts";
import { formatPercent, NONE } from "@/lib/ui/format.ts";
import {
  bucketSecondsFor,
  type Interval,
  intervalOf,
  parseScope,
  type Scope,
  scopedHref,
} from "@/lib/ui/scope.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface ReleasesData {
  readonly shell: Shell;
  readonly project: Project;
  readonly scope: Scope;
  /** Whole hours. */
  readonly interval: Interval;
  /** When the scope ends, within the last hour. */
  readonly end: Date;
  readonly health: readonly ReleaseHealth[];
  readonly bucketSec: number;
  readonly sessions: readonly number[];
  readonly environments: readonly string[];
  readonly releases: readonly string[];
}

/** How each release does: sessions and users without a crash, errors, new issues. */
export default define.page<typeof handler>(({ data }) => {
  const { project, scope, interval, health, bucketSec, sessions } = data;
  const path = sectionPath(project.id, "releases");
  return (
    <ScopedPage
      view={data}
      section="releases"
      crumbs={[{ label: project.name, href: scopedHref(path, scope) }, { label: "Releases" }]}
      path={path}
    >
      <PageHeader title="Releases" />
      {health.length === 0
        ? (
          <Panel>
            <EmptyState icon="releases" title="No releases in this time">
              Give the SDK a release, such as{" "}
              <code>shop@1.4.0</code>. SDKs count sessions by themselves once they have one, and
              here stands how many of them ended without a crash.
            </EmptyState>
          </Panel>
        )
        : (
          <>
            <Panel class="mb-4">
              <BarChart
                title="Sessions"
                unit="sessions"
                start={interval.start}
                end={data.end}
                bucketSec={bucketSec}
                counts={sessions}
              />
            </Panel>
            <Panel flush>
              <HealthTable project={project} scope={scope} health={health} />
            </Panel>
          </>
        )}
    </ScopedPage>
  );
});

const HELP = {
  sessions:
    "Share of sessions that did not crash; an unhandled error after which the program goes on is none",
  users: "Share of users without any crashed session",
};

function HealthTable(
  { project, scope, health }: Pick<ReleasesData, "project" | "scope" | "health">,
) {
  return (
    <Table
      caption="Releases"
      density="comfortable"
      columns={[
        { label: "Release" },
        { label: <span title={HELP.sessions}>Crash-free sessions</span>, align: "right" },
        { label: <span title={HELP.users}>Crash-free users</span>, align: "right" },
        { label: "Sessions", align: "right" },
        { label: "Users", align: "right" },
        { label: "Errors", align: "right" },
        { label: "New issues", align: "right" },
        { label: "Last seen", align: "right" },
      ]}
    >
      {health.map((each) => (
        <Row key={each.release}>
          <Cell class="max-w-96 min-w-40">
            <a
              class="row-link block truncate font-mono"
              title={visible(each.release)}
              href={scopedHref(sectionPath(project.id, "issues"), {
                ...scope,
                releases: [each.release],
              })}
            >
              <bdi>{visible(each.release)}</bdi>
            </a>
          </Cell>
          <Cell align="right">{crashFree(each.crashedSessions, each.sessions)}</Cell>
          <Cell align="right">{crashFree(each.crashedUsers, each.users)}</Cell>
          <Cell align="right">
            <Count value={each.sessions} unit="sessions" />
          </Cell>
          <Cell align="right">
            <Count value={each.users} unit="users" />
          </Cell>
          <Cell align="right">
            <Count value={each.errors} unit="errors" />
          </Cell>
          <Cell align="right">
            <Count value={each.newIssues} unit="issues" />
          </Cell>
          <Cell align="right">
            <RelativeTime date={each.lastSeen} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function crashFree(crashed: number, all: number): string {
  return all === 0 ? NONE : formatPercent(1 - crashed / all);
}

export const handler = define.handlers<ReleasesData>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const scope = parseScope(ctx.url.searchParams);
    const exact = intervalOf(scope, new Date());
    // Sessions are counted by whole hours.
    const interval = { start: floorTo(HOUR_MS, exact.start), end: ceilTo(HOUR_MS, exact.end) };
    const bucketSec = Math.max(3_600, bucketSecondsFor(interval));
    const query = {
      ...interval,
      environments: scope.environments,
      releases: scope.releases,
    };
    const [shell, health, sessions, environments, releases] = await Promise.all([
      loadShell(ctx, project),
      releaseHealth(sql, project.id, query),
      sessionsByHour(sql, project.id, query, bucketSec),
      environmentsOf(sql, project.id),
      releasesOf(sql, project.id),
    ]);
    meta.title = `Releases · ${project.name}`;
    return page({
      shell,
      project,
      scope,
      interval,
      end: exact.end,
      health,
      bucketSec,
      sessions,
      environments,
      releases,
    });
  },
});
