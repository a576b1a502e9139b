import { Button } from "../../ui/components/button.tsx";
import { HiddenFields } from "../../ui/components/fields.tsx";
import { EmptyState, Panel } from "../../ui/components/panel.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { Change } from "../../ui/components/values.tsx";
import { formatExact, formatPercent } from "../../ui/format.ts";
import { visible } from "../../ui/json.ts";
import { compareReleasesPath, releaseHref } from "../../ui/links.ts";
import { scopeParams } from "../../ui/scope.ts";
import { ProjectPage } from "../../ui/scoped_page.tsx";
import type { PageView } from "../request_scope.ts";
import type { ComparedReleases } from "./load_compare.ts";
import type { ReleaseFigures } from "./load_release.ts";
import { PointsChange, TransactionPanel } from "./parts.tsx";
import type { IssueSlot } from "./release_page.tsx";
import { type Message, message, t } from "../../core/language/translate.ts";

export interface CompareView extends ComparedReleases, PageView {
  readonly issues: readonly IssueSlot[];
}

/** Two releases beside each other: how they do, what only one of them has, what got slower. */
export function ComparePage({ shell, pageScope, issues, ...compared }: CompareView) {
  const { base, version, versions, figures, transactions } = compared;
  const { project, scope } = pageScope;
  const path = compareReleasesPath(project.id);
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="releases"
      path={path}
      keep={{ base, version }}
      title={t("Compare releases")}
      crumbs={[{ label: t("Compare") }]}
    >
      <form method="get" action={path} class="flex flex-wrap items-end gap-3">
        <HiddenFields pairs={scopeParams({ ...scope, releases: [] })} />
        <Choice name="version" label={t("Release")} versions={versions} chosen={version} />
        <Choice name="base" label={t("Compared with")} versions={versions} chosen={base} />
        <Button>{t("Compare")}</Button>
      </form>
      {figures === null
        ? (
          <Panel class="mt-4">
            <EmptyState icon="releases" title={t("Choose two releases")}>
              {t(
                "Their health, the issues that only one of them has, and their transactions are shown beside each other.",
              )}
            </EmptyState>
          </Panel>
        )
        : (
          <div class="mt-4 grid min-w-0 gap-4">
            <Panel id="health" title={t("Health")} flush>
              <HealthTable
                view={compared}
                figures={figures}
                hrefOf={(each) => releaseHref(project.id, scope, each)}
              />
            </Panel>
            {issues.map(({ id, title, href, list }) => (
              <Panel
                key={id}
                id={id}
                title={title}
                flush
                actions={href && <a class="link text-sm" href={href}>{t("Open the list")}</a>}
              >
                {list}
              </Panel>
            ))}
            <TransactionPanel
              projectId={project.id}
              scope={scope}
              version={version}
              base={base}
              transactions={transactions}
            />
          </div>
        )}
    </ProjectPage>
  );
}

function Choice({ name, label, versions, chosen }: {
  readonly name: string;
  readonly label: string;
  readonly versions: readonly string[];
  readonly chosen: string;
}) {
  return (
    <label class="flex min-w-0 flex-col gap-1 text-sm">
      <span class="text-muted">{label}</span>
      <select
        name={name}
        class="h-9 w-64 max-w-full rounded-md border border-line-strong bg-surface px-2 font-mono"
      >
        <option value="">{t("Choose …")}</option>
        {versions.map((each) => (
          <option key={each} value={each} selected={each === chosen}>{visible(each)}</option>
        ))}
      </select>
    </label>
  );
}

const ROWS: readonly {
  readonly label: Message;
  readonly value: (figures: ReleaseFigures) => number | null;
  readonly format: (value: number | null) => string;
  readonly more: "worse" | "better" | "neither";
}[] = [
  {
    label: message("Crash-free sessions"),
    value: ({ crashFreeSessions }) => crashFreeSessions,
    format: formatPercent,
    more: "better",
  },
  {
    label: message("Crash-free users"),
    value: ({ crashFreeUsers }) => crashFreeUsers,
    format: formatPercent,
    more: "better",
  },
  {
    label: message("Adoption"),
    value: ({ adoption }) => adoption,
    format: formatPercent,
    more: "neither",
  },
  {
    label: message("Sessions@@release health"),
    value: ({ sessions }) => sessions,
    format: formatExact,
    more: "neither",
  },
  { label: message("Users"), value: ({ users }) => users, format: formatExact, more: "neither" },
  { label: message("Errors"), value: ({ errors }) => errors, format: formatExact, more: "worse" },
  {
    label: message("New issues"),
    value: ({ newIssues }) => newIssues,
    format: formatExact,
    more: "worse",
  },
];

function HealthTable({ view: { base, version }, figures: [before, now], hrefOf }: {
  readonly view: Pick<ComparedReleases, "base" | "version">;
  readonly figures: readonly [ReleaseFigures, ReleaseFigures];
  readonly hrefOf: (version: string) => string;
}) {
  const head = (each: string) => <a class="link font-mono" href={hrefOf(each)}>{visible(each)}</a>;
  return (
    <RowTable
      caption={t("Health")}
      rows={ROWS}
      rowKey={({ label }) => label}
      columns={[
        { label: t("Figure"), cell: ({ label }) => t(label) },
        {
          label: head(base),
          align: "right",
          cell: ({ value, format }) => format(value(before)),
        },
        {
          label: head(version),
          align: "right",
          cell: ({ value, format }) => format(value(now)),
        },
        {
          label: t("Change@@noun"),
          align: "right",
          cell: ({ value, format, more }) => {
            const change = { now: value(now), before: value(before), more };
            return format === formatPercent ? <PointsChange {...change} /> : <Change {...change} />;
          },
        },
      ]}
    />
  );
}
