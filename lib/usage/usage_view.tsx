import type { Usage } from "./usage.ts";
import { EmptyState } from "../ui/components/empty_state.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { DayChart } from "./day_chart.tsx";
import { KindTable } from "./kind_table.tsx";
import type { Month } from "./month.ts";
import { ReasonList, ReasonTable } from "./reason_list.tsx";
import { arrivedOf, linesBy } from "./usage_table.ts";
import { categoryWord } from "./words.ts";

export interface UsageViewProps {
  readonly usage: Usage;
  readonly month: Month;
  /** By project id. */
  readonly projectNames: ReadonlyMap<string, string>;
}

/** What became of everything in a month: by day, category and project, and why. */
export function UsageView({ usage, month, projectNames }: UsageViewProps) {
  if (usage.categories.length === 0) return <NothingArrived />;
  const days = arrivedOf(usage.days);
  const categories = arrivedOf(usage.categories);
  const projects = arrivedOf(usage.projects);
  const dropped = usage.reasons.filter(({ kind }) => kind === "client_discard");
  const lost = arrivedOf(usage.reasons).filter(({ kind }) => kind !== "accepted");
  return (
    <>
      <Panel>
        <DayChart month={month} rows={days} />
        <details class="mt-2">
          <summary class="inline-block text-meta text-muted underline hover:text-ink">
            Show as a table
          </summary>
          <div class="mt-2 rounded-md border border-line">
            <KindTable
              caption="By day"
              of="Day (UTC)"
              rows={days}
              lines={linesBy(days, ({ day }) => day).sort((a, b) => a.key < b.key ? 1 : -1)}
            />
          </div>
        </details>
      </Panel>
      <Panel title="By category" id="categories" flush>
        <KindTable
          caption="By category"
          of="Category"
          rows={categories}
          lines={linesBy(categories, ({ category }) => category)}
          labelOf={categoryWord}
        />
      </Panel>
      <Panel title="By project" id="projects" flush>
        <KindTable
          caption="By project"
          of="Project"
          rows={projects}
          lines={linesBy(projects, ({ projectId }) => projectId)}
          labelOf={(id) => projectNames.get(id) ?? id}
        />
      </Panel>
      <Panel title="Why not accepted" id="reasons" flush={lost.length > 0}>
        {lost.length === 0
          ? <p class="text-muted">Everything was accepted.</p>
          : <ReasonList rows={lost} />}
      </Panel>
      <Panel
        title="Dropped by clients"
        id="client-drops"
        description="What SDKs dropped before sending, as their client reports say. It never arrived, and is in none of the tables above."
        flush={dropped.length > 0}
      >
        {dropped.length === 0
          ? <p class="text-muted">No client reported that it dropped anything.</p>
          : <ReasonTable caption="Dropped by clients" rows={dropped} />}
      </Panel>
    </>
  );
}

function NothingArrived() {
  return (
    <Panel>
      <EmptyState title="Nothing arrived in this month">
        As soon as something is sent to a project, it is counted here, whatever becomes of it.
      </EmptyState>
    </Panel>
  );
}
