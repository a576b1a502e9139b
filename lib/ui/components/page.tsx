import type { ComponentChildren } from "preact";
import {
  currentLanguage,
  LANGUAGES,
  type Message,
  message,
  rich,
  t,
} from "../../core/language/translate.ts";
import { formatCount } from "../format.ts";
import type { FlashUndo } from "../cookies.ts";
import { type SectionId, sectionPath } from "../links.ts";
import type { Shell } from "../shell.ts";
import { LinkButton } from "./button.tsx";
import { classes, Icon, Logo } from "./icon.tsx";
import { Alert } from "./panel.tsx";
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
  /** `narrow` for forms, `listed` for forms beside a {@linkcode PageList}, `full` for tables. @default "full" */
  readonly width?: "full" | "listed" | "narrow";
  readonly children: ComponentChildren;
}

const WIDTHS = { full: false, listed: "max-w-[69rem]", narrow: "max-w-4xl" } as const;

/** The frame of every page for people who are signed in: rail, top bar, flash, content. */
export function Page(props: PageProps) {
  const { shell, section = null, crumbs, scope, scopeSearch = "", width = "full" } = props;
  return (
    <div class="group/shell shell" data-rail={shell.isRailNarrow ? "narrow" : "wide"}>
      <a href="#content" class="skip-link">{t("Skip to the content")}</a>
      <Rail shell={shell} section={section} scopeSearch={scopeSearch} />
      <div class="min-w-0">
        <header class="topbar">
          <div class="flex min-w-0 items-center gap-2">
            <button
              type="button"
              popovertarget={RAIL_ID}
              aria-label={t("Open the menu")}
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
          class={classes("px-4 py-4 outline-none md:px-6", WIDTHS[width])}
        >
          {shell.flash && (
            <Alert kind={shell.flash.kind} isLive class="mb-4">
              <div class="flex flex-wrap items-center gap-x-3">
                <span>{shell.flash.text}</span>
                {shell.flash.undo && <UndoForm undo={shell.flash.undo} back={shell.path} />}
              </div>
            </Alert>
          )}
          {shell.banners}
          {props.children}
        </main>
      </div>
    </div>
  );
}

export interface Crumb {
  readonly label: string;
  /** Without one it is the page itself. */
  readonly href?: string;
}

/** Where the page stands, from the outside in. */
export function Breadcrumb({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label={t("Breadcrumb")} class="min-w-0">
      <ol class="flex min-w-0 items-center gap-1 text-muted">
        {crumbs.map(({ label, href }, index) => (
          <li key={index} class="flex shrink-0 items-center gap-1 last:min-w-0 last:shrink">
            {index > 0 && <Icon name="chevron-right" size={12} class="text-faint" />}
            {href
              ? (
                <a href={href} class="max-w-28 truncate sm:max-w-48 hover:text-ink hover:underline">
                  {label}
                </a>
              )
              : <span aria-current="page" class="truncate text-ink">{label}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface PageHeaderProps {
  readonly title: ComponentChildren;
  /** A sentence, badges or figures under the title. */
  readonly description?: ComponentChildren;
  /** At the right: buttons of the page. */
  readonly actions?: ComponentChildren;
}

/** The heading of a page (its only `h1`), what it is about, and what can be done. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <div class="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div class="min-w-0">
        <h1 class="text-xl font-semibold wrap-anywhere">{title}</h1>
        {description && <div class="mt-0.5 max-w-3xl text-muted">{description}</div>}
      </div>
      {actions && <div class="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}

export interface Tab {
  readonly href: string;
  readonly label: ComponentChildren;
  readonly isCurrent: boolean;
  /** Number of things behind the tab. */
  readonly count?: number | null;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  /** What the tabs choose, for screen readers. */
  readonly label: string;
  /** For so many that even a desk has no room for them in one row: there they wrap. @default false */
  readonly wraps?: boolean;
}

/** Views of one page as links, so that each has an address. Where they do not fit, they scroll sideways, or wrap. */
export function Tabs({ tabs, label, wraps = false }: TabsProps) {
  return (
    <nav aria-label={label} class="overflow-x-auto border-b border-line">
      <ul class={classes("flex gap-1", wraps && "md:flex-wrap")}>
        {tabs.map((tab) => (
          <li key={tab.href} class="shrink-0">
            <a
              href={tab.href}
              aria-current={tab.isCurrent ? "page" : undefined}
              class={classes(
                "flex h-9 items-center gap-1.5 border-b-2 px-3 -outline-offset-2",
                tab.isCurrent
                  ? "border-accent font-medium text-ink"
                  : "border-transparent text-muted hover:border-line-strong hover:text-ink",
              )}
            >
              {tab.label}
              {typeof tab.count === "number" && (
                <span class="rounded-sm bg-sunken px-1 text-meta text-muted tabular-nums">
                  {formatCount(tab.count)}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface PageListProps extends Omit<TabsProps, "wraps"> {
  /** The page that is current. */
  readonly children: ComponentChildren;
}

/** Pages of one subject that are too many for a row of tabs: a list beside the page; in small windows, tabs. */
export function PageList({ tabs, label, children }: PageListProps) {
  return (
    <div class="lg:grid lg:grid-cols-[12rem_minmax(0,1fr)] lg:gap-x-8">
      <nav
        aria-label={label}
        class="overflow-x-auto max-lg:border-b max-lg:border-line lg:sticky lg:top-[calc(var(--topbar)+1rem)] lg:self-start"
      >
        <ul class="flex gap-1 lg:flex-col lg:gap-0.5">
          {tabs.map((tab) => (
            <li key={tab.href} class="shrink-0">
              <a
                href={tab.href}
                aria-current={tab.isCurrent ? "page" : undefined}
                class={classes(
                  "flex items-center px-3 -outline-offset-2 max-lg:h-9 max-lg:border-b-2 lg:min-h-8 lg:rounded-md lg:px-2 lg:py-1.5",
                  tab.isCurrent
                    ? "font-medium text-ink max-lg:border-accent lg:bg-accent-soft lg:text-accent"
                    : "text-muted hover:text-ink max-lg:border-transparent max-lg:hover:border-line-strong lg:hover:bg-hover",
                )}
              >
                {tab.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="min-w-0 space-y-6 max-lg:mt-5">{children}</div>
    </div>
  );
}

interface PublicPageProps {
  readonly title: string;
  readonly description?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of pages for people who are not signed in: one column in the middle. */
export function PublicPage({ title, description, children }: PublicPageProps) {
  return (
    <div class="flex min-h-dvh flex-col items-center bg-canvas px-4 py-10 sm:py-20">
      <header class="mb-6">
        <a href="/" class="flex items-center gap-2.5 text-lg font-semibold">
          <Logo size={40} />
          Watchpost
        </a>
      </header>
      <main class="w-full max-w-100 rounded-lg border border-line bg-surface p-6">
        <h1 class="text-xl font-semibold">{title}</h1>
        {description && <div class="mt-1 text-muted">{description}</div>}
        <div class="mt-5">{children}</div>
      </main>
      <LanguageForm />
    </div>
  );
}

/** The languages, for who has no account to set one at; without a path, it leads back to where it was sent from. */
export function LanguageForm() {
  return (
    <form method="post" action="/preferences" aria-label={t("Language")} class="mt-4 flex gap-3">
      {Object.entries(LANGUAGES).map(([value, label]) => (
        <button
          type="submit"
          key={value}
          name="language"
          value={value}
          lang={value}
          aria-pressed={value === currentLanguage()}
          class={value === currentLanguage() ? "text-sm text-muted" : "link text-sm"}
        >
          {label}
        </button>
      ))}
    </form>
  );
}

interface ErrorPageProps {
  readonly status: number;
  /** A sentence that its reader can act on. */
  readonly message: string;
  /** Ties the page to its line in the log. */
  readonly requestId: string;
  /** Around it, for who is signed in. */
  readonly shell: Shell | null;
  /** Whether asking for the same once more may help. @default false */
  readonly mayPass?: boolean;
}

const TITLES: Readonly<Record<number, Message>> = {
  400: message("That did not work"),
  403: message("You may not do this"),
  404: message("Nothing here"),
  405: message("That did not work"),
};

/** What went wrong, whose turn it is, and the way back. */
export function ErrorPage(
  { status, message, requestId, shell, mayPass = false }: ErrorPageProps,
) {
  const title = t(TITLES[status] ?? (status >= 500 ? "Something broke" : "That did not work"));
  const project = shell?.project;
  const wayBack = mayPass ? "secondary" : "primary";
  const content = (
    <>
      <p>{message}</p>
      {status === 403 && (
        <p class="mt-2 text-muted">
          {t("An owner or administrator of the organization can give access.")}
        </p>
      )}
      <p class="mt-4 text-meta text-faint">
        {rich("Status {status} · request <id>ID</id>", {
          status: String(status),
          id: () => <code class="wrap-anywhere select-all">{requestId}</code>,
        })}
      </p>
      <div class="mt-5 flex flex-wrap gap-2">
        {/* Without an address: the same once more, whatever stands in it. */}
        {mayPass && <LinkButton href="" kind="primary">{t("Try again")}</LinkButton>}
        {project
          ? (
            <LinkButton href={sectionPath(project.id, "issues")} kind={wayBack}>
              {t("Go to the issues")}
            </LinkButton>
          )
          : <LinkButton href="/" kind={wayBack}>{t("Go to the projects")}</LinkButton>}
      </div>
    </>
  );
  if (!shell) return <PublicPage title={title}>{content}</PublicPage>;
  return (
    <Page
      shell={shell}
      crumbs={[
        ...project ? [{ label: project.name, href: sectionPath(project.id, "issues") }] : [],
        { label: title },
      ]}
      width="narrow"
    >
      <PageHeader title={title} />
      {content}
    </Page>
  );
}

/** Takes back what a person just did. */
function UndoForm({ undo, back }: { readonly undo: FlashUndo; readonly back: string }) {
  return (
    <form method="post" action={undo.action}>
      <input type="hidden" name="undo" value={undo.id} />
      <input type="hidden" name="back" value={back} />
      <button type="submit" name="action" value="undo" class="link font-medium" data-key="z">
        {t("Undo")}
      </button>
    </form>
  );
}
