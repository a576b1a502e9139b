import { classes } from "./class_names.ts";
import { sectionPath } from "../links.ts";
import type { Shell, ShellProject } from "../shell.ts";
import { Avatar } from "./avatar.tsx";
import { Icon } from "./icon.tsx";
import { Menu, MENU_ITEM_LOOK } from "./menu.tsx";

/** More than this is found by the search. */
const MAX_LISTED = 50;

/** The current project, and a menu to go to another: those looked at last first, with a search. */
export function ProjectSwitcher({ shell }: { readonly shell: Shell }) {
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
            {project?.name ?? "Choose a project"}
          </span>
          {project && <span class="sr-only">Change the project</span>}
          <Icon
            name="chevron-down"
            size={14}
            class="text-muted md:group-data-[rail=narrow]/shell:hidden"
          />
        </>
      }
      panelClass="w-64"
    >
      <form action="/projects" class="p-1" role="search">
        <input
          type="search"
          name="q"
          aria-label="Search projects"
          placeholder="Search projects"
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
          <Icon name="projects" class="mx-0.5 text-muted" />All projects
        </a>
        <a href="/projects/new" class={MENU_ITEM_LOOK}>
          <Icon name="plus" class="mx-0.5 text-muted" />New project
        </a>
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
