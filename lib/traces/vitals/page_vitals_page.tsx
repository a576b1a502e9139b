import { NO_STATS } from "../../store/stats/stats.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Tabs } from "../../ui/components/tabs.tsx";
import { visible } from "../../ui/read.ts";
import type { Shell } from "../../ui/shell.ts";
import { sampledOf } from "../../store/stats/extrapolate.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { transactionHref } from "../../ui/tracing_paths.ts";
import { TracingPage } from "../../ui/tracing_page.tsx";
import { ClientPanel } from "./client_panel.tsx";
import { CLIENT_COLUMNS, type PageVitals } from "./load_page_vitals.ts";
import { NoVitals } from "./no_vitals.tsx";
import { pageVitalsHref, pageVitalsPath } from "../../ui/vitals_paths.ts";
import { VITALS } from "./ratings.ts";
import { VisitPanel } from "./visit_panel.tsx";
import { VitalCards } from "./vital_cards.tsx";
import { VitalCharts } from "./vital_charts.tsx";
import { VitalHistogram } from "./vital_histogram.tsx";

export interface PageVitalsView extends PageVitals {
  readonly shell: Shell;
  readonly tracing: Tracing;
}

/** All that is known of the vitals of one page, and one of them closely. */
export function PageVitalsPage(view: PageVitalsView) {
  const { shell, tracing, params, vitals, previous, steps } = view;
  const { project, scope } = tracing;
  const path = pageVitalsPath(project.id);
  const keep = { name: params.name, vital: params.vital?.name ?? null };
  return (
    <TracingPage
      shell={shell}
      tracing={tracing}
      section="web-vitals"
      path={path}
      keep={keep}
      sampled={sampledOf([...vitals.values()])}
      crumbs={[{ label: visible(params.name) }]}
      title={<bdi class="wrap-anywhere">{visible(params.name)}</bdi>}
      actions={
        <LinkButton href={transactionHref(project.id, scope, params.name)}>
          Its transactions
        </LinkButton>
      }
    >
      {vitals.size === 0
        ? (
          <div class="rounded-lg border border-line bg-surface">
            <NoVitals tracing={tracing} isSearched />
          </div>
        )
        : (
          <div class="space-y-4">
            <VitalCards vitals={vitals} previous={previous} />
            <VitalCharts
              tracing={tracing}
              vitals={vitals}
              steps={steps}
              path={path}
              keep={keep}
            />
            <OneVital {...view} />
          </div>
        )}
    </TracingPage>
  );
}

/** One vital closely: how it is spread, for whom, and in which visits it was worst. */
function OneVital(view: PageVitalsView) {
  const { tracing, params, vitals, vital, clients, samples, moments } = view;
  const { project, scope } = tracing;
  const hrefOf = (name: string) => pageVitalsHref(project.id, scope, params.name, { vital: name });
  const { browser, device, country } = clients;
  const measured = vitals.get(vital.name) ?? NO_STATS;
  const groups = {
    browser: browser.map((group) => ({ ...group, name: group.browser })),
    device: device.map((group) => ({ ...group, name: group.device })),
    country: country.map((group) => ({ ...group, name: group.country })),
  };
  return (
    <section id="vital" class="space-y-4" aria-label="One vital closely">
      <Tabs
        label="Which vital"
        tabs={VITALS.map(({ name, label }) => ({
          href: `${hrefOf(name)}#vital`,
          label,
          isCurrent: name === vital.name,
          count: Math.round(vitals.get(name)?.weight ?? 0),
        }))}
      />
      <Panel>
        <VitalHistogram
          vital={vital}
          sketch={measured.sketch}
          whole={Math.round(measured.weight)}
          range={params.range}
          brushHref={hrefOf(vital.name)}
        />
      </Panel>
      <div class="grid gap-4 lg:grid-cols-3">
        {CLIENT_COLUMNS.map((column) => (
          <ClientPanel key={column} column={column} vital={vital} groups={groups[column]} />
        ))}
      </div>
      <VisitPanel
        tracing={tracing}
        vital={vital}
        samples={samples}
        moments={moments}
        params={params}
      />
    </section>
  );
}
