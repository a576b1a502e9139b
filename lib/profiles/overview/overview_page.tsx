import { type Message, message, t } from "../../core/language/translate.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { alongPage, ChartBox, ProjectPage } from "../../ui/scoped_page.tsx";
import { TimeChart } from "../../ui/charts/mod.ts";
import { ChoiceLinks } from "../../ui/sorted_list.tsx";
import { LinkButton } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Tabs } from "../../ui/components/page.tsx";
import { Alert } from "../../ui/components/panel.tsx";
import { formatCount } from "../../ui/format.ts";
import { paramsOf, profilingHref, queryHref, sectionPath } from "../../ui/links.ts";
import { isNarrowed, scopeParams } from "../../ui/scope.ts";
import type { Shell } from "../../ui/shell.ts";
import { oncePerName, PLAIN, type ProfileValueChoice, profilingParams } from "../params.ts";
import { NoProfiles, SelectionForm } from "../selection_form.tsx";
import { ServiceTable, ValuePicker } from "../services.tsx";
import { chartUnitOf, type Nature, typeName } from "../words.ts";
import { ChangesView, FlameView, TopView } from "./graph_views.tsx";
import { ListView, ProfilesPanel } from "./list_view.tsx";
import {
  type Looked,
  type LookedView,
  type Overview,
  type View,
  viewParams,
  type Volume,
} from "./load_overview.ts";

export interface OverviewView extends Overview {
  readonly shell: Shell;
  /** As it was asked for. */
  readonly page: URL;
  /** What to run to send a profile. */
  readonly snippet: string;
}

/** Where the time and the memory of a project's services go: profiles merged, as a graph, as functions, one by one. */
export function OverviewPage(view: OverviewView) {
  const { shell, pageScope, params, looked, services } = view;
  const { project, scope } = pageScope;
  const path = sectionPath(project.id, "profiling");
  const { errors } = params;
  const kept = looked === null ? params : { ...params, value: looked.value };
  const keep = oncePerName([...profilingParams(params), ...viewParams(view.view)]);
  const compare = profilingHref(project.id, "/compare", scope, profilingParams(kept));
  const base = [...scopeParams(scope), ...profilingParams({ ...kept, shape: PLAIN })];
  return (
    <ProjectPage
      shell={shell}
      pageScope={pageScope}
      section="profiling"
      keep={keep}
      description={t("Where your code spends time and memory: many profiles as one graph.")}
      actions={looked && <LinkButton href={compare} icon="merge">{t("Compare")}</LinkButton>}
    >
      <div class="space-y-4">
        {errors.profile_type && <Alert kind="warning">{errors.profile_type}</Alert>}
        {looked === null
          ? (
            <>
              {profilingParams(params).length + Object.keys(errors).length > 0 && (
                <SelectionForm
                  path={path}
                  hidden={scopeParams(scope)}
                  params={params}
                  query={view.page.searchParams}
                />
              )}
              <NoProfiles
                projectId={project.id}
                isNarrowed={services.length > 0 || isNarrowed(scope) ||
                  scope.services.length > 0 || profilingParams(params).length > 0}
                snippet={view.snippet}
              />
            </>
          )
          : (
            <LookedAt
              {...view}
              looked={looked}
              path={path}
              base={base}
              title={titleOf(view, looked)}
            />
          )}
      </div>
    </ProjectPage>
  );
}

function titleOf({ pageScope: { scope } }: OverviewView, { value }: Looked): string {
  const { services } = scope;
  const values = typeName(value.type);
  return services.length === 0
    ? t("{values} of all services", { values })
    : t("{values} of {service}", { values, service: services.join(", ") });
}

function LookedAt(view: LookedView) {
  const { pageScope, params, looked, services, path, view: state, page } = view;
  const { project, scope } = pageScope;
  const { value, values, volume, nature } = looked;
  const hrefOf = (change: Partial<typeof scope>, choice: typeof value) =>
    profilingHref(project.id, "", { ...scope, ...change }, [
      ...profilingParams({ ...params, value: choice }),
      ...viewParams(state),
    ]);
  return (
    <>
      <ValuePicker values={values} chosen={value} hrefOf={(choice) => hrefOf({}, choice)} />
      {looked.tellsServed && (
        <ChoiceLinks
          label={t("Threads")}
          isLabelShown
          choices={[t(SERVED), t(ALL_THREADS)]}
          chosen={params.allThreads ? t(ALL_THREADS) : t(SERVED)}
          hrefOf={(choice) =>
            profilingHref(project.id, "", scope, [
              ...profilingParams({ ...params, value, allThreads: choice === t(ALL_THREADS) }),
              ...viewParams(state),
            ])}
        />
      )}
      <details class="group/services rounded-lg border border-line bg-surface">
        <summary class="flex cursor-pointer items-center gap-2 px-4 py-2 text-sm font-medium">
          <Icon
            name="chevron-right"
            size={14}
            class="text-muted transition-transform group-open/services:rotate-90"
          />
          {t("Services that send profiles")}
          <span class="font-normal text-muted tabular-nums">{formatCount(services.length)}</span>
        </summary>
        <div class="border-t border-line">
          <ServiceTable
            services={services}
            value={value}
            hrefOf={(service, choice) =>
              hrefOf({ services: service === "" ? [] : [service] }, choice)}
          />
        </div>
      </details>
      <SelectionForm
        path={path}
        hidden={[...scopeParams(scope), ...viewParams(state)]}
        params={{ ...params, value }}
        query={page.searchParams}
      />
      <ViewTabs {...view} />
      <VolumeCharts
        pageScope={pageScope}
        volume={volume}
        value={value}
        nature={nature}
        path={path}
        keep={oncePerName([...profilingParams({ ...params, value }), ...viewParams(state)])}
      />
      {state.view === "flame" && (
        <>
          <FlameView {...view} />
          <ProfilesPanel {...view} />
        </>
      )}
      {state.view === "top" && <TopView {...view} />}
      {state.view === "changes" && <ChangesView {...view} />}
      {state.view === "list" && <ListView {...view} />}
    </>
  );
}

/** What time on the clock is shown of: the others mostly wait. */
const SERVED = message("Threads that served");
const ALL_THREADS = message("All threads");

const VIEW_NAMES: Readonly<Record<View, Message>> = {
  flame: "Flame graph",
  top: "Top functions",
  changes: "Slower since a release",
  list: "Profiles",
};

function ViewTabs({ view: state, base, path, looked, params }: LookedView) {
  const views = Object.keys(VIEW_NAMES) as View[];
  const shape = profilingParams({ ...params, value: null, transaction: "", labels: [] })
    .filter(([name]) => ["focus", "ignore", "by", "invert"].includes(name));
  return (
    <Tabs
      label={t("Views")}
      tabs={views.map((each) => ({
        href: queryHref(path, [
          ...base,
          ...(each === "flame" || each === "top" ? shape : []),
          ...paramsOf({ view: each === "flame" ? null : each }),
        ]),
        label: t(VIEW_NAMES[each]),
        isCurrent: state.view === each,
        count: each === "list" ? looked.volume.count : null,
      }))}
    />
  );
}

interface VolumeChartsProps {
  readonly pageScope: PageScope;
  readonly volume: Volume;
  readonly value: ProfileValueChoice;
  readonly nature: Nature;
  /** Of the page. */
  readonly path: string;
  /** Parameters of the page, each name once. */
  readonly keep: Readonly<Record<string, string>>;
}

const NOTES: Readonly<Record<Nature, Message>> = {
  interval: "Added up over the profiles that began within each point.",
  cumulative: "By how much it grew within each point, of all processes together.",
  snapshot: "Average of the profiles taken within each point.",
};

/** What profiles add up to along the time of the page, and how many they are. */
function VolumeCharts(props: VolumeChartsProps) {
  const { pageScope, volume, value, nature, path, keep } = props;
  const common = alongPage(pageScope, volume, path, keep);
  const { unit, factor } = chartUnitOf(value.type.unit);
  return (
    <div class="grid gap-4 lg:grid-cols-[2fr_1fr]">
      <ChartBox>
        <TimeChart
          {...common}
          id="profile-totals"
          title={typeName(value.type)}
          unit={unit}
          note={t(NOTES[nature])}
          series={[{
            label: typeName(value.type),
            values: volume.totals.map((total) => total === null ? null : total * factor),
            kind: nature === "snapshot" ? "line" : "bars",
          }]}
        />
      </ChartBox>
      <ChartBox>
        <TimeChart
          {...common}
          id="profile-counts"
          title={t("Profiles")}
          unit="count"
          note={t("How many began within each point.")}
          series={[{ label: t("profiles"), values: volume.profiles, kind: "bars", color: 3 }]}
        />
      </ChartBox>
    </div>
  );
}
