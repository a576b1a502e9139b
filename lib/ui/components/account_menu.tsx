import { classes } from "./class_names.ts";
import type { Shell } from "../shell.ts";
import type { Theme } from "../../server/define.ts";
import { Avatar } from "./avatar.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Menu, MENU_ITEM_LOOK } from "./menu.tsx";

export interface AccountMenuProps {
  readonly shell: Shell;
  readonly user: { readonly name: string; readonly email: string };
}

/** Who is signed in; account, organizations, theme and the way out. */
export function AccountMenu({ shell, user }: AccountMenuProps) {
  return (
    <Menu
      opens="up"
      buttonClass="flex h-9 w-full items-center gap-2 rounded-md px-1 hover:bg-hover"
      button={
        <>
          <Avatar name={user.name || user.email} />
          <span class="min-w-0 flex-1 truncate text-left md:group-data-[rail=narrow]/shell:sr-only">
            {user.name || user.email}
          </span>
          <Icon
            name="chevron-up"
            size={14}
            class="text-muted md:group-data-[rail=narrow]/shell:hidden"
          />
        </>
      }
      panelClass="w-64"
    >
      <p class="px-2 py-1.5 text-sm text-muted wrap-anywhere">{user.email}</p>
      <a href="/account" class={MENU_ITEM_LOOK}>
        <Icon name="user" class="text-muted" />Account
      </a>
      <ul class="max-h-60 overflow-y-auto">
        {shell.organizations.map(({ slug, name }) => (
          <li key={slug}>
            <a href={`/organizations/${encodeURIComponent(slug)}/settings`} class={MENU_ITEM_LOOK}>
              <Icon name="organization" class="text-muted" />
              <span class="min-w-0 truncate">{name}</span>
            </a>
          </li>
        ))}
      </ul>
      {shell.isInstanceAdmin && (
        <a href="/instance" class={MENU_ITEM_LOOK}>
          <Icon name="settings" class="text-muted" />Instance
        </a>
      )}
      <ThemeForm theme={shell.theme} path={shell.path} />
      <form method="post" action="/sign-out" class="mt-1 border-t border-line pt-1">
        <button type="submit" class={MENU_ITEM_LOOK}>
          <Icon name="sign-out" class="text-muted" />Sign out
        </button>
      </form>
    </Menu>
  );
}

const THEMES: readonly { value: Theme; label: string; icon: IconName }[] = [
  { value: "system", label: "Device", icon: "system" },
  { value: "light", label: "Light", icon: "sun" },
  { value: "dark", label: "Dark", icon: "moon" },
];

export interface ThemeFormProps {
  readonly theme: Theme;
  /** Where to return to. */
  readonly path: string;
}

/** Three buttons that set the theme; the server keeps it in a cookie, so that no page flashes. */
export function ThemeForm({ theme, path }: ThemeFormProps) {
  return (
    <form method="post" action="/preferences" aria-label="Theme" class="flex gap-1 p-1">
      <input type="hidden" name="next" value={path} />
      {THEMES.map(({ value, label, icon }) => (
        <button
          type="submit"
          key={value}
          name="theme"
          value={value}
          aria-pressed={value === theme}
          class={classes(
            "flex flex-1 items-center justify-center gap-1 rounded-md border px-1.5 py-1 text-sm",
            value === theme
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-muted hover:bg-hover",
          )}
        >
          <Icon name={icon} size={14} />
          {label}
        </button>
      ))}
    </form>
  );
}
