import { t } from "../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import type { ChartMarker } from "./charts/mod.ts";
import { classes } from "./components/icon.tsx";
import { type Crumb, Page, PageHeader, type PageProps } from "./components/page.tsx";
import { formatCount, formatExact, formatPercent } from "./format.ts";
import { type SectionId, sectionPath, SECTIONS } from "./links.ts";
import { ScopePickers, type ScopePickersProps } from "./scope_pickers.tsx";
import { DEFAULT_RANGE, type ExtraParams, type Scope, scopedHref } from "./scope.ts";
import type { Shell } from "./shell.ts";

interface ScopedPageProps extends Omit<PageProps, "shell" | "scope" | "scopeSearch"> {
  readonly view:
    & Pick<PageProps, "shell">
    & Pick<ScopePickersProps, "scope" | "environments" | "releases" | "services">;
  /** Of the page, to which its pickers lead; forms have none. */
  readonly path?: string | undefined;
  /** Other parameters of the page, which a change of scope keeps. */
  readonly keep?: ExtraParams;
}

/** What every page of a project that obeys the scope is told. */
export interface ScopedView {
  readonly shell: Shell;
  readonly project: { readonly id: string; readonly name: string };
  readonly scope: Scope;
  /** What there is to choose from. */
  readonly environments: readonly string[];
  readonly releases: readonly string[];
}

/** The frame of a page that obeys the scope: its pickers stand in the top bar. */
export function ScopedPage({ view, path, keep = {}, ...frame }: ScopedPageProps) {
  const { shell, scope, environments, releases, services } = view;
  return (
    <Page
      {...frame}
      shell={shell}
      scopeSearch={scopedHref("", scope)}
      scope={path !== undefined && (
        <ScopePickers
          {...{ scope, path, keep, environments, releases }}
          {...services && { services }}
        />
      )}
    />
  );
}

/** The part of a project that a page looks at, and what its pickers and charts need. */
export interface ScopedProject {
  readonly project: { readonly id: string; readonly name: string };
  readonly scope: Scope;
  /** What there is to choose from. */
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  readonly services: readonly string[];
  /** Releases that began within the time of the scope. */
  readonly markers: readonly ChartMarker[];
  /** Share of traces that the project keeps; below 1 its counts are extrapolated. */
  readonly sampleRate: number;
}

/** Counts of what is stored, and of what there was. */
interface Sampled {
  readonly count: number;
  readonly weight: number;
}

interface ProjectPageProps {
  readonly shell: Shell;
  readonly pageScope: ScopedProject;
  readonly section: SectionId;
  /** Of the page, where it lies below its section. @default the section's */
  readonly path?: string;
  /** @default the section's name */
  readonly title?: ComponentChildren;
  /** Crumbs below the section. @default none */
  readonly crumbs?: readonly Crumb[];
  /** Other parameters of the page, which a change of scope keeps. */
  readonly keep?: ExtraParams;
  readonly description?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** What the page counts: it says when that is extrapolated. */
  readonly sampled?: Sampled;
  readonly children: ComponentChildren;
}

/** The frame of the pages of a project: pickers of environment, release, service and time, heading, notes. */
export function ProjectPage(props: ProjectPageProps) {
  const { shell, pageScope, section, crumbs = [], keep = {}, description, actions } = props;
  const { project, scope, sampleRate } = pageScope;
  const sectionHref = scopedHref(sectionPath(project.id, section), scope);
  const found = SECTIONS.find(({ id }) => id === section);
  const label = found === undefined ? section : t(found.label);
  return (
    <ScopedPage
      view={{ shell, ...pageScope }}
      path={props.path ?? sectionPath(project.id, section)}
      keep={keep}
      section={section}
      crumbs={[
        { label: project.name, href: scopedHref(sectionPath(project.id, "performance"), scope) },
        crumbs.length === 0 ? { label } : { label, href: sectionHref },
        ...crumbs,
      ]}
    >
      <PageHeader title={props.title ?? label} description={description} actions={actions} />
      <SamplingNote sampleRate={sampleRate} sampled={props.sampled} />
      {props.children}
    </ScopedPage>
  );
}

/** Rounding of weights is no sampling. */
const NOTABLE = 1.005;

/** Tells that figures are extrapolated, and from how much; nothing where all is stored. */
function SamplingNote(
  { sampleRate, sampled }: { readonly sampleRate: number; readonly sampled: Sampled | undefined },
) {
  const isExtrapolated = sampled !== undefined && isSampled(sampled);
  if (sampleRate >= 1 && !isExtrapolated) return null;
  return (
    <p class="mb-3 text-sm text-muted">
      {sampleRate < 1
        ? t("This project keeps {share} of its traces.", { share: formatPercent(sampleRate) })
        : t("Your services send a share of their traces.")} {isExtrapolated && (
        <span
          title={t("{count} of about {weight}", {
            count: formatExact(sampled.count),
            weight: formatExact(sampled.weight),
          })}
        >
          {t("{count} of about {weight} are stored.", {
            count: formatCount(sampled.count),
            weight: formatCount(Math.round(sampled.weight)),
          })}
          {" "}
        </span>
      )}
      {t(
        "Counts, throughput and total times are extrapolated, durations and rates are those of what is stored.",
      )}
    </p>
  );
}

/** Whether there was notably more than is stored. */
export function isSampled({ count, weight }: Sampled): boolean {
  return weight > count * NOTABLE;
}

interface ChartBoxProps {
  /** Places it in the grid of the page. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A chart with a border around it. */
export function ChartBox({ class: extra, children }: ChartBoxProps) {
  return (
    <div class={classes("chart-card rounded-lg border border-line bg-surface p-4", extra)}>
      {children}
    </div>
  );
}

/**
 * What all charts of a page have in common: the time, the releases that began in it, one crosshair, and where choosing
 * a time leads.
 *
 * @param keep other parameters of the page
 */
export function alongPage(
  { scope, markers }: ScopedProject,
  { times, stepMs }: { readonly times: readonly number[]; readonly stepMs: number },
  path: string,
  keep: ExtraParams = {},
) {
  return {
    times,
    bucketMs: stepMs,
    markers,
    syncKey: "page",
    zoomHref: scopedHref(path, { ...scope, range: DEFAULT_RANGE }, keep),
  };
}
