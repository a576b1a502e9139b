import { Button, LinkButton } from "../ui/components/button.tsx";
import { CopyButton } from "../ui/components/copy_button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { Menu, MENU_ITEM_LOOK } from "../ui/components/menu.tsx";
import { scopedHref } from "../ui/scope.ts";
import { type DashboardView, keptBy, pathOf } from "./dashboard_view.ts";
import { type Refresh, REFRESHES } from "./paths.ts";

const BUTTON_LOOK =
  "inline-flex h-9 items-center gap-1.5 rounded-md border border-line-strong px-3 font-medium hover:bg-hover";

/** What can be done with a dashboard as a whole. */
export function DashboardActions(view: DashboardView) {
  const { dashboard, tracing: { scope }, isEditing, mayEdit } = view;
  const path = pathOf(view);
  return (
    <>
      {!isEditing && <RefreshMenu {...view} />}
      <ShareMenu {...view} />
      {dashboard.kind === "ready" && mayEdit && dashboard.content.panels.length > 0 && (
        <form method="post">
          <Button kind="primary" icon="copy">Save a copy</Button>
        </form>
      )}
      {dashboard.kind === "kept" && mayEdit && (
        <LinkButton
          kind={isEditing ? "primary" : "secondary"}
          icon={isEditing ? "check" : "dashboards"}
          href={scopedHref(path, scope, keptBy(view, { isEditing: !isEditing }))}
        >
          {isEditing ? "Done" : "Edit"}
        </LinkButton>
      )}
      {dashboard.kind === "kept" && <MoreMenu {...view} />}
    </>
  );
}

const REFRESH_WORDS: Readonly<Record<Refresh, string>> = {
  30: "Every 30 s",
  60: "Every minute",
  300: "Every 5 min",
};

function RefreshMenu(view: DashboardView) {
  const { refresh, tracing: { scope } } = view;
  const text = refresh === null ? "Refresh" : REFRESH_WORDS[refresh];
  return (
    <Menu
      label={refresh === null ? "Refresh: off" : `Refresh: ${text}`}
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
              <span class="flex-1">{choice === null ? "Off" : REFRESH_WORDS[choice]}</span>
              {choice === refresh && <Icon name="check" size={14} class="text-accent" />}
            </a>
          </li>
        ))}
      </ul>
      <p class="max-w-52 border-t border-line px-2 pt-1.5 pb-1 text-meta text-muted">
        Pauses while the page is out of sight.
      </p>
    </Menu>
  );
}

function ShareMenu({ address }: DashboardView) {
  return (
    <Menu
      label="Share"
      align="right"
      buttonClass={BUTTON_LOOK}
      panelClass="w-72 p-3"
      button={
        <>
          <Icon name="external" />
          Share
        </>
      }
    >
      <label class="block text-sm font-medium" for="share-address">Link to what you see</label>
      <div class="mt-1 flex items-center gap-1.5">
        <input
          id="share-address"
          readonly
          value={address}
          class="h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface px-2 font-mono text-sm"
        />
        <CopyButton target="share-address" what="link" />
      </div>
      <p class="mt-2 text-meta text-muted">
        For members of the organization: the time, the scope and the variables are in it.
      </p>
    </Menu>
  );
}

function MoreMenu(view: DashboardView) {
  const { tracing: { scope }, mayEdit } = view;
  const path = pathOf(view);
  return (
    <Menu
      label="More"
      align="right"
      buttonClass={BUTTON_LOOK}
      button={<Icon name="more" />}
    >
      {mayEdit && (
        <a class={MENU_ITEM_LOOK} href={scopedHref(`${path}/settings`, scope)}>
          <Icon name="settings" size={14} class="text-muted" />
          Name, variables, delete
        </a>
      )}
      {mayEdit && (
        <form method="post" action={scopedHref(path, scope)}>
          <button type="submit" name="action" value="duplicate" class={MENU_ITEM_LOOK}>
            <Icon name="copy" size={14} class="text-muted" />
            Duplicate
          </button>
        </form>
      )}
      <a class={MENU_ITEM_LOOK} href={`${path}/export`} download>
        <Icon name="arrow-right" size={14} class="text-muted" />
        Export as JSON
      </a>
    </Menu>
  );
}
