import { ScopedPage, type ScopedView } from "@/lib/ui/scoped_page.tsx";
import { HOUR_MS } from "@/lib/core/time.ts";
import { page } from "fresh";
import { type ReleaseHealth, releaseHealth, sessionsByHour } from "@/lib/releases/health.ts";
import { ceilTo, floorTo } from "@/lib/store/query_limits.ts";
import { BarChart } from "@/lib/ui/charts/bar_chart.tsx";
import { type RowColumn, RowTable } from "@/lib/ui/components/table.tsx";
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
  scopedHref,
} from "@/lib/ui/scope.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { loadFrame } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface ReleasesData extends ScopedView {
  /** Whole hours. */
  readonly interval: Interval;
  /** When the scope ends, within the last hour. */
  readonly end: Date;
  readonly health: readonly ReleaseHealth[];
  readonly bucketSec: number;
  readonly sessions: readonly number[];
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
    <RowTable
      caption="Releases"
      density="comfortable"
      rows={health}
      rowKey={({ release }) => release}
      columns={[
        {
          label: "Release",
          cellClass: "max-w-96 min-w-40",
          cell: ({ release }) => (
            <a
              class="row-link block truncate font-mono"
              title={visible(release)}
              href={scopedHref(sectionPath(project.id, "issues"), {
                ...scope,
                releases: [release],
              })}
            >
              <bdi>{visible(release)}</bdi>
            </a>
          ),
        },
        {
          label: <span title={HELP.sessions}>Crash-free sessions</span>,
          align: "right",
          cell: ({ crashedSessions, sessions }) => crashFree(crashedSessions, sessions),
        },
        {
          label: <span title={HELP.users}>Crash-free users</span>,
          align: "right",
          cell: ({ crashedUsers, users }) => crashFree(crashedUsers, users),
        },
        countColumn("Sessions", "sessions", ({ sessions }) => sessions),
        countColumn("Users", "users", ({ users }) => users),
        countColumn("Errors", "errors", ({ errors }) => errors),
        countColumn("New issues", "issues", ({ newIssues }) => newIssues),
        {
          label: "Last seen",
          align: "right",
          cell: ({ lastSeen }) => <RelativeTime date={lastSeen} />,
        },
      ]}
    />
  );
}

function countColumn(
  label: string,
  unit: string,
  countOf: (health: ReleaseHealth) => number,
): RowColumn<ReleaseHealth> {
  return {
    label,
    align: "right",
    cell: (health) => <Count value={countOf(health)} unit={unit} />,
  };
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
    const [frame, health, sessions] = await Promise.all([
      loadFrame(ctx, project),
      releaseHealth(sql, project.id, query),
      sessionsByHour(sql, project.id, query, bucketSec),
    ]);
    meta.title = `Releases · ${project.name}`;
    return page({ ...frame, interval, end: exact.end, health, bucketSec, sessions });
  },
});
