import { type Message, t } from "../../core/language/translate.ts";
import { exploreHref } from "../../metrics/mod.ts";
import { classes, Icon, type IconName } from "../../ui/components/icon.tsx";
import { issuesPath, sectionPath, transactionHref } from "../../ui/links.ts";
import { type Scope, scopedHref } from "../../ui/scope.ts";
import type { Panel, Place } from "../content.ts";
import { type DashboardView, keptBy, panelPath, pathOf } from "../dashboard_frame.tsx";
import { type PanelData, panelTitle } from "./panel_data.ts";
import { PanelView } from "./panel_view.tsx";

interface PanelCardProps {
  readonly panel: Panel;
  readonly view: DashboardView;
}

/** A panel in its place on the grid. */
export function PanelCard({ panel, view }: PanelCardProps) {
  const { id, title, place, kind } = panel;
  const { pageScope, data, isEditing } = view;
  const found = data.get(id);
  const isBare = kind === "text" && title === "" && !isEditing;
  const titleId = `title-${id}`;
  return (
    <section
      id={`panel-${id}`}
      class={classes("dash-cell", cellClasses(place))}
      data-dash-cell={id}
      {...isBare ? {} : { "aria-labelledby": titleId }}
    >
      {!isBare && (
        <div
          class={classes("flex min-w-0 items-center gap-2 px-3 pt-2", isEditing && "dash-handle")}
          data-dash-handle={isEditing ? id : undefined}
        >
          <h2 id={titleId} class="min-w-0 flex-1 truncate font-semibold" title={panelTitle(panel)}>
            {panelTitle(panel)}
          </h2>
          <SourceLink panel={panel} view={view} />
        </div>
      )}
      {isEditing && <PanelTools panel={panel} view={view} />}
      <div class="min-w-0 flex-1 p-3">
        {found && (
          <PanelView
            panel={panel}
            data={found}
            pageScope={pageScope}
            path={pathOf(view)}
            keep={keptBy(view)}
          />
        )}
      </div>
      {isEditing && (
        <span class="dash-corner hidden scripted:block" data-dash-corner={id} aria-hidden="true">
          <svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor">
            <path d="M16 9l-7 7M16 13l-3 3" />
          </svg>
        </span>
      )}
    </section>
  );
}

/** Where the style sheet puts it. */
function cellClasses({ x, y, w, h }: Place): string {
  return `dash-x-${x} dash-y-${y} dash-w-${w} dash-h-${h}`;
}

/** The way to what the panel shows. */
function SourceLink({ panel, view: { project, pageScope: { scope }, data } }: PanelCardProps) {
  const source = panelSource(project.id, scope, panel, data.get(panel.id));
  if (source === null) return null;
  return (
    <a
      href={source.href}
      aria-label={`${source.words}: ${panelTitle(panel)}`}
      title={source.words}
      class="rounded-md p-1 text-muted hover:bg-hover hover:text-ink"
    >
      <Icon name="external" size={14} />
    </a>
  );
}

const TOOLS: readonly (readonly [action: string, icon: IconName, words: Message])[] = [
  ["move:left", "chevron-left", "Move left"],
  ["move:right", "chevron-right", "Move right"],
  ["move:up", "chevron-up", "Move up"],
  ["move:down", "chevron-down", "Move down"],
  ["size:narrower", "minus", "Narrower"],
  ["size:wider", "plus", "Wider"],
  ["size:lower", "chevrons-left", "Lower"],
  ["size:taller", "chevrons-right", "Taller"],
];

const TOOL_LOOK =
  "flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink";

/** Buttons that change the panel, for keyboards and for browsers without script. */
function PanelTools({ panel, view }: PanelCardProps) {
  const { project, pageScope: { scope }, dashboard } = view;
  if (dashboard.kind !== "kept") return null;
  const title = panelTitle(panel);
  return (
    <form
      method="post"
      action={scopedHref(pathOf(view), scope, keptBy(view))}
      class="flex flex-wrap items-center gap-0.5 px-2 pt-1"
    >
      <input type="hidden" name="version" value={dashboard.version} />
      <input type="hidden" name="panel" value={panel.id} />
      {TOOLS.map(([action, icon, words]) => (
        <button
          key={action}
          type="submit"
          name="action"
          value={action}
          aria-label={`${t(words)}: ${title}`}
          title={t(words)}
          class={TOOL_LOOK}
        >
          <Icon
            name={icon}
            size={14}
            {.../lower|taller/.test(action) ? { class: "rotate-90" } : {}}
          />
        </button>
      ))}
      <span class="ml-auto flex items-center gap-0.5">
        <a
          class="rounded-md px-2 py-1 text-sm text-accent hover:bg-hover"
          href={scopedHref(panelPath(project.id, dashboard.id, panel.id), scope)}
          aria-label={`${t("Edit")}: ${title}`}
        >
          {t("Edit")}
        </a>
        <button
          type="submit"
          name="action"
          value="duplicate-panel"
          aria-label={`${t("Duplicate")}: ${title}`}
          title={t("Duplicate")}
          class={TOOL_LOOK}
        >
          <Icon name="copy" size={14} />
        </button>
        <button
          type="submit"
          name="action"
          value="remove-panel"
          aria-label={`${t("Remove")}: ${title}`}
          title={t("Remove")}
          class={classes(TOOL_LOOK, "hover:text-danger")}
        >
          <Icon name="trash" size={14} />
        </button>
      </span>
    </form>
  );
}

interface PanelSource {
  readonly href: string;
  /** What is there. */
  readonly words: string;
}

/**
 * Where a panel's data can be looked into; null for texts.
 *
 * @param data knows the chosen values of variables
 */
function panelSource(
  projectId: string,
  scope: Scope,
  panel: Panel,
  data: PanelData | undefined,
): PanelSource | null {
  switch (panel.kind) {
    case "metrics": {
      const asked = data?.kind === "metrics" || data?.kind === "heat" ? data.panel : panel;
      return { href: exploreHref(projectId, asked, scope), words: t("Open in the explorer") };
    }
    case "errors":
      return {
        href: scopedHref(issuesPath(projectId), scope, { query: panel.search }),
        words: t("Open the issues"),
      };
    case "transactions":
      return panel.transaction === ""
        ? {
          href: scopedHref(sectionPath(projectId, "performance"), scope),
          words: t("Open performance"),
        }
        : {
          href: transactionHref(projectId, scope, panel.transaction),
          words: t("Open the transaction"),
        };
    case "text":
      return null;
  }
}
