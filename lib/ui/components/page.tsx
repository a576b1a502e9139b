import type { ComponentChildren } from "preact";
import { classes } from "./class_names.ts";
import type { SectionId } from "../links.ts";
import type { Shell } from "../shell.ts";
import { TooLargeBanner } from "../../usage/too_large_banner.tsx";
import { QuotaBanner } from "../../usage/quota_banner.tsx";
import { Alert } from "./alert.tsx";
import { Breadcrumb, type Crumb } from "./breadcrumb.tsx";
import { Icon } from "./icon.tsx";
import { Rail, RAIL_ID } from "./rail.tsx";

export interface PageProps {
  /** From `loadShell()`. */
  readonly shell: Shell;
  /** The section to light up in the rail. @default null */
  readonly section?: SectionId | null;
  /** From the outside in; the last one, without `href`, is the page. */
  readonly crumbs: readonly Crumb[];
  /** Scope pickers and the like, at the right of the top bar. */
  readonly scope?: ComponentChildren;
  /** Query that carries the scope to the other sections, with its `?`. @default "" */
  readonly scopeSearch?: string;
  /** `narrow` for forms, `full` for tables. @default "full" */
  readonly width?: "full" | "narrow";
  readonly children: ComponentChildren;
}

/** The frame of every page for people who are signed in: rail, top bar, flash, content. */
export function Page(props: PageProps) {
  const { shell, section = null, crumbs, scope, scopeSearch = "", width = "full" } = props;
  return (
    <div class="group/shell shell" data-rail={shell.isRailNarrow ? "narrow" : "wide"}>
      <a href="#content" class="skip-link">Skip to the content</a>
      <Rail shell={shell} section={section} scopeSearch={scopeSearch} />
      <div class="min-w-0">
        <header class="topbar">
          <div class="flex min-w-0 items-center gap-2">
            <button
              type="button"
              popovertarget={RAIL_ID}
              aria-label="Open the menu"
              class="-ml-2 rounded-md p-2 hover:bg-hover md:hidden"
            >
              <Icon name="menu" />
            </button>
            <Breadcrumb crumbs={crumbs} />
          </div>
          {scope}
        </header>
        <main
          id="content"
          tabindex={-1}
          class={classes("px-4 py-4 outline-none md:px-6", width === "narrow" && "max-w-4xl")}
        >
          {shell.flash && (
            <Alert kind={shell.flash.kind} isLive class="mb-4">{shell.flash.text}</Alert>
          )}
          {shell.quotaWarnings.map((warning) => (
            <QuotaBanner
              key={warning.organization.slug}
              {...warning}
              mayRaise={shell.isInstanceAdmin}
            />
          ))}
          {shell.tooLarge.map((warning) => (
            <TooLargeBanner
              key={warning.project.id}
              {...warning}
            />
          ))}
          {props.children}
        </main>
      </div>
    </div>
  );
}
