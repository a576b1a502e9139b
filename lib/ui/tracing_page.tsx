import type { ComponentChildren } from "preact";
import type { Crumb } from "./components/breadcrumb.tsx";
import { Page } from "./components/page.tsx";
import { PageHeader } from "./components/page_header.tsx";
import { type ExtraParams, scopedHref } from "./scope.ts";
import { ScopePickers } from "./scope_pickers.tsx";
import { type SectionId, sectionPath, SECTIONS } from "./links.ts";
import type { Shell } from "./shell.ts";
import type { Sampled } from "../store/stats/extrapolate.ts";
import type { Tracing } from "../releases/load_tracing.ts";
import { SamplingNote } from "./sampling_note.tsx";

export interface TracingPageProps {
  readonly shell: Shell;
  readonly tracing: Tracing;
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

/** The frame of the pages of traces: pickers of environment, release, service and time, heading, notes. */
export function TracingPage(props: TracingPageProps) {
  const { shell, tracing, section, crumbs = [], keep = {}, description, actions } = props;
  const { project, scope, environments, releases, services, sampleRate } = tracing;
  const sectionHref = scopedHref(sectionPath(project.id, section), scope);
  const label = SECTIONS.find(({ id }) => id === section)?.label ?? section;
  return (
    <Page
      shell={shell}
      section={section}
      crumbs={[
        { label: project.name, href: scopedHref(sectionPath(project.id, "performance"), scope) },
        crumbs.length === 0 ? { label } : { label, href: sectionHref },
        ...crumbs,
      ]}
      scopeSearch={scopedHref("", scope)}
      scope={
        <ScopePickers
          scope={scope}
          path={props.path ?? sectionPath(project.id, section)}
          keep={keep}
          environments={environments}
          releases={releases}
          services={services}
        />
      }
    >
      <PageHeader title={props.title ?? label} description={description} actions={actions} />
      <SamplingNote sampleRate={sampleRate} sampled={props.sampled} />
      {props.children}
    </Page>
  );
}
