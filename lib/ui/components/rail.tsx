import { classes } from "./class_names.ts";
import { type Section, type SectionId, sectionPath, SECTIONS } from "../links.ts";
import type { Shell } from "../shell.ts";
import { AccountMenu } from "./account_menu.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Logo } from "./logo.tsx";
import { ProjectSwitcher } from "./project_switcher.tsx";

export interface RailProps {
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
        label={label}
        isCurrent={id === section}
      />
    );
  return (
    <nav id={RAIL_ID} popover="auto" aria-label="Main" class="rail">
      <div class="flex h-12 shrink-0 items-center justify-between px-3">
        <a href="/projects" class="flex items-center gap-2 font-semibold" aria-label="Watchpost">
          <Logo />
          <span class="md:group-data-[rail=narrow]/shell:hidden">Watchpost</span>
        </a>
        <button
          type="button"
          popovertarget={RAIL_ID}
          popovertargetaction="hide"
          aria-label="Close the menu"
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
            label="Projects"
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
  const label = shell.isRailNarrow ? "Widen the menu" : "Collapse";
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
