import { type Message, t } from "../core/language/translate.ts";
import DashboardLayout from "../../islands/DashboardLayout.tsx";
import DashboardRefresh from "../../islands/DashboardRefresh.tsx";
import { Button, CopyButton, LinkButton, Menu, MENU_ITEM_LOOK } from "../ui/components/button.tsx";
import { fieldId, HiddenFields, Select } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { sectionPath } from "../ui/links.ts";
import { scopedHref, scopeParams } from "../ui/scope.ts";
import { ALL_VALUES, parameterOf } from "./content.ts";
import {
  DashboardFrame,
  type DashboardView,
  keptBy,
  panelPath,
  pathOf,
  type Refresh,
  REFRESHES,
} from "./dashboard_frame.tsx";
import { PanelCard } from "./panels/panel_card.tsx";

/** One dashboard: its variables, and its panels on the grid. */
export function DashboardPage(view: DashboardView) {
  const { dashboard: { name, content, kind }, refresh, isEditing } = view;
  return (
    <DashboardFrame
      {...view}
      title={name}
      description={kind === "ready"
        ? t("Ready-made from the metrics that arrive. Save a copy to change it.")
        : content.description}
      actions={<DashboardActions {...view} />}
      path={pathOf(view)}
      keep={keptBy(view)}
    >
      <VariableBar {...view} />
      {isEditing && <EditBar {...view} />}
      {refresh !== null && !isEditing && (
        <>
          <DashboardRefresh seconds={refresh} readAt={Date.now()} />
          <noscript>
            <meta http-equiv="refresh" content={String(refresh)} />
          </noscript>
        </>
      )}
      {content.panels.length === 0 ? <NoPanels {...view} /> : (
        <div class="dash-grid" data-dash-grid>
          {content.panels.map((panel) => <PanelCard key={panel.id} panel={panel} view={view} />)}
        </div>
      )}
    </DashboardFrame>
  );
}

/** What can be added, and how panels are moved. */
function EditBar(view: DashboardView) {
  const { project, pageScope: { scope }, dashboard } = view;
  if (dashboard.kind !== "kept") return null;
  const add = (kind: string) =>
    scopedHref(panelPath(project.id, dashboard.id, "new"), scope, { kind });
  return (
    <div class="mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-canvas px-4 py-2">
      <span class="font-semibold">{t("Add")}</span>
      <LinkButton size="sm" icon="metrics" href={add("metrics")}>{t("Metrics")}</LinkButton>
      <LinkButton size="sm" icon="issues" href={add("errors")}>{t("Errors")}</LinkButton>
      <LinkButton size="sm" icon="transactions" href={add("transactions")}>
        {t("Transactions")}
      </LinkButton>
      <LinkButton size="sm" icon="logs" href={add("text")}>{t("Text")}</LinkButton>
      <DashboardLayout
        savePath={`${pathOf(view)}/layout`}
        version={dashboard.version}
        panels={dashboard.content.panels.map(({ id, place }) => ({ id, place }))}
      />
    </div>
  );
}

function NoPanels(view: DashboardView) {
  const { project, pageScope: { scope }, dashboard, mayEdit } = view;
  if (dashboard.kind === "ready") {
    return (
      <div class="rounded-lg border border-line bg-surface">
        <EmptyState icon="dashboards" title={t("Nothing of this has arrived")}>
          {t("The metrics that this dashboard is made of have not arrived, or are no longer kept.")}
          {" "}
          <a class="link" href={`${sectionPath(project.id, "setup")}?platform=metrics`}>
            {t("How to send them")}
          </a>
        </EmptyState>
      </div>
    );
  }
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState
        icon="dashboards"
        title={t("No panels yet")}
        actions={mayEdit && (
          <>
            <LinkButton
              kind="primary"
              icon="plus"
              href={scopedHref(panelPath(project.id, dashboard.id, "new"), scope, {
                kind: "metrics",
              })}
            >
              {t("Add a panel")}
            </LinkButton>
            <LinkButton href={scopedHref(`${sectionPath(project.id, "metrics")}/explore`, scope)}>
              {t("Explore metrics")}
            </LinkButton>
          </>
        )}
      >
        {t(
          "Panels show metrics, errors, transactions or a text. What you find in the explorer can be added from there.",
        )}
      </EmptyState>
    </div>
  );
}

const BUTTON_LOOK =
  "inline-flex h-9 items-center gap-1.5 rounded-md border border-line-strong px-3 font-medium hover:bg-hover";

/** What can be done with a dashboard as a whole. */
function DashboardActions(view: DashboardView) {
  const { dashboard, pageScope: { scope }, isEditing, mayEdit } = view;
  const path = pathOf(view);
  return (
    <>
      {!isEditing && <RefreshMenu {...view} />}
      <ShareMenu {...view} />
      {dashboard.kind === "ready" && mayEdit && dashboard.content.panels.length > 0 && (
        <form method="post">
          <Button kind="primary" icon="copy">{t("Save a copy")}</Button>
        </form>
      )}
      {dashboard.kind === "kept" && mayEdit && (
        <LinkButton
          kind={isEditing ? "primary" : "secondary"}
          icon={isEditing ? "check" : "dashboards"}
          href={scopedHref(path, scope, keptBy(view, { isEditing: !isEditing }))}
        >
          {isEditing ? t("Done") : t("Edit")}
        </LinkButton>
      )}
      {dashboard.kind === "kept" && <MoreMenu {...view} />}
    </>
  );
}

const REFRESH_WORDS: Readonly<Record<Refresh, Message>> = {
  30: "Every 30 s",
  60: "Every minute",
  300: "Every 5 min",
};

function RefreshMenu(view: DashboardView) {
  const { refresh, pageScope: { scope } } = view;
  const text = refresh === null ? t("Refresh") : t(REFRESH_WORDS[refresh]);
  return (
    <Menu
      label={refresh === null ? t("Refresh: off") : t("Refresh: {interval}", { interval: text })}
      align="right"
      buttonClass={`${BUTTON_LOOK} ${refresh === null ? "" : "border-accent text-accent"}`}
      button={
        <>
          <Icon name="refresh" />
          {text}
          <Icon name="chevron-down" size={12} class="text-muted" />
        </>
      }
    >
      <ul>
        {[null, ...REFRESHES].map((choice) => (
          <li key={choice}>
            <a
              class={MENU_ITEM_LOOK}
              href={scopedHref(pathOf(view), scope, keptBy(view, { refresh: choice }))}
              aria-current={choice === refresh ? "true" : undefined}
            >
              <span class="flex-1">
                {choice === null ? t("Off@@refresh") : t(REFRESH_WORDS[choice])}
              </span>
              {choice === refresh && <Icon name="check" size={14} class="text-accent" />}
            </a>
          </li>
        ))}
      </ul>
      <p class="max-w-52 border-t border-line px-2 pt-1.5 pb-1 text-meta text-muted">
        {t("Pauses while the page is out of sight.")}
      </p>
    </Menu>
  );
}

function ShareMenu({ address }: DashboardView) {
  return (
    <Menu
      label={t("Share@@verb")}
      align="right"
      buttonClass={BUTTON_LOOK}
      panelClass="w-72 p-3"
      button={
        <>
          <Icon name="external" />
          {t("Share@@verb")}
        </>
      }
    >
      <label class="block text-sm font-medium" for="share-address">
        {t("Link to what you see")}
      </label>
      <div class="mt-1 flex items-center gap-1.5">
        <input
          id="share-address"
          readonly
          value={address}
          class="h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface px-2 font-mono text-sm"
        />
        <CopyButton target="share-address" what={t("link")} />
      </div>
      <p class="mt-2 text-meta text-muted">
        {t("For members of the organization: the time, the scope and the variables are in it.")}
      </p>
    </Menu>
  );
}

function MoreMenu(view: DashboardView) {
  const { pageScope: { scope }, mayEdit } = view;
  const path = pathOf(view);
  return (
    <Menu
      label={t("More")}
      align="right"
      buttonClass={BUTTON_LOOK}
      button={<Icon name="more" />}
    >
      {mayEdit && (
        <a class={MENU_ITEM_LOOK} href={scopedHref(`${path}/settings`, scope)}>
          <Icon name="settings" size={14} class="text-muted" />
          {t("Name, variables, delete")}
        </a>
      )}
      {mayEdit && (
        <form method="post" action={scopedHref(path, scope)}>
          <button type="submit" name="action" value="duplicate" class={MENU_ITEM_LOOK}>
            <Icon name="copy" size={14} class="text-muted" />
            {t("Duplicate")}
          </button>
        </form>
      )}
      <a class={MENU_ITEM_LOOK} href={`${path}/export`} download>
        <Icon name="arrow-right" size={14} class="text-muted" />
        {t("Export as JSON")}
      </a>
    </Menu>
  );
}

/** The variables of a dashboard with the values that are there. */
function VariableBar(view: DashboardView) {
  const { dashboard: { content: { variables } }, pageScope: { scope }, choices, values } = view;
  if (variables.length === 0) return null;
  const names = new Set(variables.map(({ label }) => parameterOf(label)));
  const kept = Object.entries(keptBy(view)).filter(([name]) => !names.has(name));
  return (
    <form action={pathOf(view)} class="mb-4 flex flex-wrap items-end gap-x-3 gap-y-2">
      <HiddenFields pairs={[...scopeParams(scope), ...kept]} />
      {variables.map(({ label }) => {
        const chosen = choices.get(label) ?? "";
        const found = values.get(label) ?? [];
        const listed = chosen === "" || found.includes(chosen) ? found : [chosen, ...found];
        return (
          <div key={label} class="min-w-36">
            <label for={fieldId(parameterOf(label))} class="block text-meta text-muted">
              {label}
            </label>
            <Select
              name={parameterOf(label)}
              size="sm"
              value={chosen === "" ? ALL_VALUES : chosen}
              options={[
                { value: ALL_VALUES, label: t("All") },
                ...listed.map((value) => ({ value, label: value })),
              ]}
            />
          </div>
        );
      })}
      <Button size="sm">{t("Apply")}</Button>
    </form>
  );
}
