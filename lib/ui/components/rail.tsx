import { currentTimeZone, type Message, message, t } from "../../core/language/translate.ts";
import { type Section, type SectionId, sectionPath, SECTIONS } from "../links.ts";
import { offersNewProject, type Shell, type ShellProject, type Theme } from "../shell.ts";
import { Avatar } from "./badge.tsx";
import { Menu, MENU_ITEM_LOOK } from "./button.tsx";
import { classes, Icon, type IconName, Logo } from "./icon.tsx";

interface RailProps {
  readonly shell: Shell;
  readonly section: SectionId | null;
  /** Query that carries the scope from section to section, with its `?`, or `""`. */
  readonly scopeSearch: string;
}

export const RAIL_ID = "rail";

/** Hides a label when the rail shows icons only; it is still read out. */
const LABEL = "truncate md:group-data-[rail=narrow]/shell:sr-only";

/**
 * The sections of the project, project switcher above, account below. It is a popover: under 768 px a
 * drawer that the menu button opens without script; from there on it stands beside the page.
 */
export function Rail({ shell, section, scopeSearch }: RailProps) {
  const { project } = shell;
  const linkTo = ({ id, label, icon, place }: Section) =>
    project && (
      <RailLink
        key={id}
        href={sectionPath(project.id, id) + (place === "main" ? scopeSearch : "")}
        icon={icon}
        label={t(label)}
        isCurrent={id === section}
      />
    );
  return (
    <nav id={RAIL_ID} popover="auto" aria-label={t("Main")} class="rail">
      <div class="flex h-12 shrink-0 items-center justify-between px-3">
        <a href="/projects" class="flex items-center gap-2 font-semibold" aria-label="Watchpost">
          <Logo />
          <span class="md:group-data-[rail=narrow]/shell:hidden">Watchpost</span>
        </a>
        <button
          type="button"
          popovertarget={RAIL_ID}
          popovertargetaction="hide"
          aria-label={t("Close the menu")}
          class="-mr-1 rounded-md p-2 hover:bg-hover md:hidden"
        >
          <Icon name="close" />
        </button>
      </div>
      <div class="px-2 pb-2">
        <ProjectSwitcher shell={shell} />
      </div>
      <ul class="min-h-0 flex-1 space-y-0.5 overflow-y-auto px-2 py-1">
        {project ? SECTIONS.filter(({ place }) => place === "main").map(linkTo) : (
          <RailLink
            href="/projects"
            icon="projects"
            label={t("Projects")}
            isCurrent={shell.path === "/projects"}
          />
        )}
      </ul>
      <ul class="space-y-0.5 px-2 py-1">
        {SECTIONS.filter(({ place }) => place === "foot").map(linkTo)}
        <li class="max-md:hidden">
          <RailToggle shell={shell} />
        </li>
      </ul>
      {shell.user && (
        <div class="border-t border-line p-2">
          <AccountMenu shell={shell} user={shell.user} />
        </div>
      )}
    </nav>
  );
}

interface RailLinkProps {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
}

function RailLink({ href, icon, label, isCurrent }: RailLinkProps) {
  return (
    <li>
      <a
        href={href}
        title={label}
        aria-current={isCurrent ? "page" : undefined}
        class={classes(
          "flex h-8 items-center gap-2.5 rounded-md px-2",
          isCurrent
            ? "bg-accent-soft font-medium text-accent"
            : "text-muted hover:bg-hover hover:text-ink",
        )}
      >
        <Icon name={icon} />
        <span class={LABEL}>{label}</span>
      </a>
    </li>
  );
}

/** Narrows the rail to icons and back; kept in a cookie, so that the server draws it right at once. */
function RailToggle({ shell }: { readonly shell: Shell }) {
  const label = shell.isRailNarrow ? t("Widen the menu") : t("Collapse");
  return (
    <form method="post" action="/preferences">
      <input type="hidden" name="next" value={shell.path} />
      <button
        type="submit"
        name="rail"
        value={shell.isRailNarrow ? "wide" : "narrow"}
        title={label}
        class="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-faint hover:bg-hover hover:text-ink"
      >
        <Icon name={shell.isRailNarrow ? "chevrons-right" : "chevrons-left"} />
        <span class={LABEL}>{label}</span>
      </button>
    </form>
  );
}

/** More than this is found by the search. */
const MAX_LISTED = 50;

/** The current project, and a menu to go to another: those looked at last first, with a search. */
function ProjectSwitcher({ shell }: { readonly shell: Shell }) {
  const { project } = shell;
  const projects = recentFirst(shell);
  return (
    <Menu
      buttonClass="flex h-9 w-full items-center gap-2 rounded-md border border-line bg-surface px-1.5 hover:bg-hover md:group-data-[rail=narrow]/shell:border-transparent md:group-data-[rail=narrow]/shell:bg-transparent md:group-data-[rail=narrow]/shell:px-1"
      button={
        <>
          {project
            ? <Avatar name={project.name} size={20} shape="square" />
            : <Icon name="projects" class="mx-0.5" />}
          <span class="min-w-0 flex-1 truncate text-left font-medium md:group-data-[rail=narrow]/shell:sr-only">
            {project?.name ?? t("Choose a project")}
          </span>
          {project && <span class="sr-only">{t("Change the project")}</span>}
          <Icon
            name="chevron-down"
            size={14}
            class="text-muted md:group-data-[rail=narrow]/shell:hidden"
          />
        </>
      }
      panelClass="w-64"
    >
      <form action="/projects" class="p-1" role="search" aria-label={t("Choose a project")}>
        <input
          type="search"
          name="q"
          aria-label={t("Search projects")}
          placeholder={t("Search projects")}
          data-filter="project-switcher-list"
          class="block h-8 w-full rounded-md border border-line-strong bg-surface px-2"
        />
      </form>
      <ul id="project-switcher-list" class="max-h-80 overflow-y-auto">
        {projects.slice(0, MAX_LISTED).map((each) => (
          <li key={each.id} data-filter-text={each.name.toLowerCase()}>
            <a
              href={sectionPath(each.id, "issues")}
              aria-current={each.id === project?.id ? "true" : undefined}
              class={classes(MENU_ITEM_LOOK, each.id === project?.id && "font-medium")}
            >
              <Avatar name={each.name} size={20} shape="square" />
              <span class="min-w-0 flex-1 truncate">{each.name}</span>
              {each.id === project?.id && <Icon name="check" size={14} class="text-accent" />}
            </a>
          </li>
        ))}
      </ul>
      <div class="mt-1 border-t border-line pt-1">
        <a href="/projects" class={MENU_ITEM_LOOK}>
          <Icon name="projects" class="mx-0.5 text-muted" />
          {t("All projects")}
        </a>
        {offersNewProject(shell) && (
          <a href="/projects/new" class={MENU_ITEM_LOOK}>
            <Icon name="plus" class="mx-0.5 text-muted" />
            {t("New project")}
          </a>
        )}
      </div>
    </Menu>
  );
}

function recentFirst({ organizations, recent }: Shell): ShellProject[] {
  const rank = ({ id }: ShellProject) => {
    const position = recent.indexOf(id);
    return position === -1 ? recent.length : position;
  };
  const all = organizations.flatMap(({ projects }) => projects);
  return all.toSorted((a, b) => rank(a) - rank(b));
}

interface AccountMenuProps {
  readonly shell: Shell;
  readonly user: { readonly name: string; readonly email: string };
}

/** Who is signed in; account, organizations, theme and the way out. */
function AccountMenu({ shell, user }: AccountMenuProps) {
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
        <Icon name="user" class="text-muted" />
        {t("Account")}
      </a>
      <a href="/account/language" class={MENU_ITEM_LOOK}>
        <Icon name="site" class="text-muted" />
        {t("Language and time")}
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
      <a href="/organizations" class={MENU_ITEM_LOOK}>
        <Icon name="organization" class="text-muted" />
        {t("All organizations")}
      </a>
      {shell.isInstanceAdmin && (
        <a href="/instance" class={MENU_ITEM_LOOK}>
          <Icon name="settings" class="text-muted" />
          {t("Instance")}
        </a>
      )}
      <ThemeForm theme={shell.theme} path={shell.path} />
      <TimesForm shell={shell} />
      <form method="post" action="/sign-out" class="mt-1 border-t border-line pt-1">
        <button type="submit" class={MENU_ITEM_LOOK}>
          <Icon name="sign-out" class="text-muted" />
          {t("Sign out")}
        </button>
      </form>
    </Menu>
  );
}

const THEMES: readonly { value: Theme; label: Message; icon: IconName }[] = [
  { value: "system", label: message("Device"), icon: "system" },
  { value: "light", label: message("Light"), icon: "sun" },
  { value: "dark", label: message("Dark"), icon: "moon" },
];

/** Shows times in UTC instead of the account's time zone, and back. */
function TimesForm({ shell }: { readonly shell: Shell }) {
  const zone = shell.user?.timeZone ?? "UTC";
  if (zone === "UTC") return null;
  const isUtc = currentTimeZone() === "UTC";
  return (
    <form method="post" action="/preferences">
      <input type="hidden" name="next" value={shell.path} />
      <button type="submit" name="times" value={isUtc ? "zone" : "utc"} class={MENU_ITEM_LOOK}>
        <Icon name="clock" class="text-muted" />
        {isUtc ? t("Show times in {zone}", { zone }) : t("Show times in UTC")}
      </button>
    </form>
  );
}

interface ThemeFormProps {
  readonly theme: Theme;
  /** Where to return to. */
  readonly path: string;
  /** Tells it from that of the frame. @default "Theme" */
  readonly label?: string;
}

/** Three buttons that set the theme; the server keeps it in a cookie, so that no page flashes. */
export function ThemeForm({ theme, path, label = t("Theme") }: ThemeFormProps) {
  return (
    <form method="post" action="/preferences" aria-label={label} class="flex gap-1 p-1">
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
          {t(label)}
        </button>
      ))}
    </form>
  );
}
