import type { Project } from "../../accounts/projects.ts";
import { LinkButton } from "../../ui/components/button.tsx";
import { EmptyState } from "../../ui/components/empty_state.tsx";
import { Page } from "../../ui/components/page.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { sectionPath } from "../../ui/links.ts";
import type { Shell } from "../../ui/shell.ts";

export interface MissingTraceView {
  readonly shell: Shell;
  readonly project: Project;
  /** Why there is no trace. */
  readonly reason: string;
  /** Query that carries the scope to the other sections, with its `?`. */
  readonly scopeSearch: string;
}

/** In place of a trace that is not there: why, and where to look. */
export function MissingTracePage({ shell, project, reason, scopeSearch }: MissingTraceView) {
  const list = `${sectionPath(project.id, "traces")}${scopeSearch}`;
  return (
    <Page
      shell={shell}
      section="traces"
      crumbs={[
        { label: project.name, href: `/projects/${project.id}${scopeSearch}` },
        { label: "Traces", href: list },
        { label: "Not found" },
      ]}
      scopeSearch={scopeSearch}
    >
      <PageHeader title="Trace" />
      <div class="rounded-lg border border-line bg-surface">
        <EmptyState
          icon="traces"
          title="No such trace"
          actions={<LinkButton href={list}>All traces</LinkButton>}
        >
          {reason}
        </EmptyState>
      </div>
    </Page>
  );
}
