import { type CliClient, CliCommands } from "../../ui/cli_commands.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import { EmptyState } from "../../ui/components/panel.tsx";
import { Count, RelativeTime, ShareOf } from "../../ui/components/values.tsx";
import { formatPercent, NONE } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { releaseHref, sectionPath } from "../../ui/links.ts";
import { isNarrowed, scopedHref } from "../../ui/scope.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import { ListBox, SearchForm, SortedTable, sortingText } from "../../ui/sorted_list.tsx";
import type { PageView } from "../request_scope.ts";
import { RELEASE_COLUMNS, type ReleaseList } from "./load_list.ts";
import { rich, t } from "../../core/language/translate.ts";

export interface ReleaseListView extends ReleaseList, PageView {
  /** For those who have told of no release yet. */
  readonly client: CliClient;
}

/** The releases of a project: how far each is out, and how it does. */
export function ReleaseListPage({ shell, pageScope, ...view }: ReleaseListView) {
  const { list, sorting, query, hasAny, isCut } = view;
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, "releases");
  const keep = { query, sort: sortingText(sorting) };
  const hrefOf = (changed: Record<string, string | null>) =>
    scopedHref(path, scope, { ...keep, ...changed });
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="releases"
      keep={keep}
      description={t(
        "Versions of your programs: how far each is out, how it does, what is new in it.",
      )}
    >
      {hasAny && (
        <SearchForm
          path={path}
          scope={scope}
          query={query}
          label={t("Search releases")}
          placeholder={t("Part of a version; * stands for anything")}
          keep={{ sort: keep.sort }}
        />
      )}
      <ListBox
        list={list}
        unit="{n} release|{n} releases"
        hrefOf={(page) => hrefOf({ page })}
        isCut={isCut}
        none={hasAny
          ? (
            <EmptyState
              icon="search"
              title={query !== "" || isNarrowed(scope)
                ? t("No releases match")
                : t("No releases in this time")}
              actions={<LinkButton href={path}>{t("Show all of the last 14 days")}</LinkButton>}
            >
              {t("Nothing was released, deployed or heard of in this time and scope.")}
            </EmptyState>
          )
          : <NoneYet client={view.client} />}
      >
        <SortedTable
          caption={t("Releases")}
          density="comfortable"
          columns={RELEASE_COLUMNS}
          rows={list.rows}
          rowKey={({ version }) => version}
          sorting={sorting}
          hrefOf={(sort) => hrefOf({ sort })}
          cells={{
            version: ({ version, commitCount, lastSeen }) => (
              <>
                <a
                  class="row-link block truncate font-mono"
                  title={visible(version)}
                  href={releaseHref(project.id, scope, version)}
                >
                  <bdi>{visible(version)}</bdi>
                </a>
                <span class="block truncate text-meta text-muted">
                  {commitCount > 0 &&
                    `${t("{n} commit|{n} commits", { n: commitCount })} · `}
                  {lastSeen === null ? t("not heard of yet") : rich("seen {time}", {
                    time: <RelativeTime date={lastSeen} />,
                  })}
                </span>
              </>
            ),
            date: ({ date }) => <RelativeTime date={date} />,
            adoption: ({ adoption, sessions }) =>
              adoption === null ? NONE : (
                <ShareOf
                  share={adoption}
                  title={t("{n} session|{n} sessions@@release health", { n: sessions })}
                >
                  {formatPercent(adoption)}
                </ShareOf>
              ),
            sessions: ({ crashFreeSessions }) => formatPercent(crashFreeSessions),
            users: ({ crashFreeUsers }) => formatPercent(crashFreeUsers),
            issues: ({ newIssues }) => (
              <Count value={newIssues} unit="{n} new issue|{n} new issues" />
            ),
            events: ({ events }) => <Count value={events} unit="{n} error|{n} errors" />,
            deploy: ({ lastDeploy }) =>
              lastDeploy === null ? NONE : (
                <>
                  {visible(lastDeploy.environment)}, <RelativeTime date={lastDeploy.finishedAt} />
                </>
              ),
          }}
        />
      </ListBox>
    </ProjectPage>
  );
}

const COMMANDS = (version: string) =>
  `VERSION=${version}
sentry-cli releases new $VERSION
sentry-cli releases set-commits $VERSION --auto
sentry-cli releases finalize $VERSION
sentry-cli deploys new --release $VERSION -e production`;

function NoneYet({ client }: { readonly client: CliClient }) {
  const version = `${client.project}@1.4.0`;
  return (
    <EmptyState icon="releases" title={t("No releases yet")}>
      {rich(
        "Give the SDK a release, such as {version}: SDKs count sessions by themselves once they have one. Your build tells of commits and deploys with sentry-cli:",
        { version: <code>{version}</code> },
      )}
      <div class="mt-3">
        <CliCommands
          id="release-commands"
          label={t("Commands")}
          client={client}
          commands={COMMANDS(version)}
        />
      </div>
    </EmptyState>
  );
}
