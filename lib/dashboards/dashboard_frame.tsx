import type { ComponentChildren } from "preact";
import type { Crumb } from "../ui/components/breadcrumb.tsx";
import { Page } from "../ui/components/page.tsx";
import { scopedHref } from "../ui/scope.ts";
import { ScopePickers } from "../ui/scope_pickers.tsx";
import { sectionPath } from "../ui/links.ts";
import type { Shell } from "../ui/shell.ts";
import type { Tracing } from "../releases/load_tracing.ts";

export interface DashboardFrameProps {
  readonly shell: Shell;
  readonly tracing: Tracing;
  /** Below the list of dashboards. */
  readonly crumbs: readonly Crumb[];
  /** Of the page, to which its pickers lead; forms have none. */
  readonly path?: string;
  /** Parameters that a change of scope keeps. */
  readonly keep?: Readonly<Record<string, string>>;
  /** @default "full" */
  readonly width?: "full" | "narrow";
  readonly children: ComponentChildren;
}

/** The frame of all pages of dashboards. */
export function DashboardFrame(props: DashboardFrameProps) {
  const { shell, tracing, crumbs, path, keep = {}, width = "full" } = props;
  const { project, scope, environments, releases, services } = tracing;
  const listHref = scopedHref(sectionPath(project.id, "dashboards"), scope);
  return (
    <Page
      shell={shell}
      section="dashboards"
      width={width}
      crumbs={[
        { label: project.name, href: scopedHref(sectionPath(project.id, "performance"), scope) },
        crumbs.length === 0 ? { label: "Dashboards" } : { label: "Dashboards", href: listHref },
        ...crumbs,
      ]}
      scopeSearch={scopedHref("", scope)}
      scope={path !== undefined && (
        <ScopePickers
          scope={scope}
          path={path}
          keep={keep}
          environments={environments}
          releases={releases}
          services={services}
        />
      )}
    >
      {props.children}
    </Page>
  );
}
