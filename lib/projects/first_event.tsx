import { rich, t } from "../core/language/translate.ts";
import { LinkButton } from "../ui/components/button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { sectionPath } from "../ui/links.ts";

interface FirstEventStatusProps {
  /** null while nothing has arrived. */
  readonly first: FirstEventView | null;
  /** Whether who looks may add monitors. */
  readonly mayAddMonitors: boolean;
}

/** One line that says whether the project receives anything, and one that offers to watch the site it came from. */
export function FirstEventStatus({ first, mayAddMonitors }: FirstEventStatusProps) {
  const site = mayAddMonitors ? first?.site : undefined;
  return (
    <>
      <Arrival first={first} />
      {site && (
        <p class="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-surface px-4 py-3">
          <span class="min-w-0 flex-1 wrap-anywhere">
            {rich(
              "Your pages are at <site>SITE</site>. A monitor tells you when they cannot be reached.",
              { site: () => <strong class="font-semibold">{site.host}</strong> },
            )}
          </span>
          <LinkButton href={site.href} icon="plus">{t("Add monitor")}</LinkButton>
        </p>
      )}
    </>
  );
}

function Arrival({ first }: Pick<FirstEventStatusProps, "first">) {
  if (first === null) {
    return (
      <p class="flex items-center gap-2.5 rounded-lg border border-line bg-canvas px-4 py-3">
        <span class="relative flex size-3 shrink-0" aria-hidden="true">
          <span class="absolute inset-0 rounded-full bg-warning-fill opacity-60 motion-safe:animate-ping" />
          <span class="relative size-3 rounded-full bg-warning-fill" />
        </span>
        <span class="min-w-0">
          <strong class="font-semibold">{t("Waiting for the first data…")}</strong>{" "}
          <span class="text-muted scripted:hidden">
            <a href="" class="link">{t("Look again")}</a>
          </span>
        </span>
      </p>
    );
  }
  return (
    <p class="flex items-center gap-2.5 rounded-lg border border-ok bg-ok-soft px-4 py-3">
      <Icon name="ok" class="text-ok" />
      <span class="min-w-0">
        <strong class="font-semibold text-ok">{t("First data received")}</strong>
        {first.what && `: ${first.what}`} <RelativeTime date={new Date(first.at)} />.{" "}
        {first.href && (
          <a href={first.href} class="link font-medium whitespace-nowrap">{t("Open it")}</a>
        )}
      </span>
    </p>
  );
}

/** The first data of a project as the Setup page shows it; goes over the wire as JSON. */
export interface FirstEventView {
  /** What it is, as "an error". */
  readonly what: string;
  /** Page that shows it, or null: there is none for its kind. */
  readonly href: string | null;
  /** ISO 8601. */
  readonly at: string;
  /** The site that visitors' browsers name, as long as no monitor checks it. */
  readonly site?: OfferedSite;
}

interface OfferedSite {
  /** As `shop.example`. */
  readonly host: string;
  /** The form of a new monitor, filled in. */
  readonly href: string;
}

/** What the page and its stream tell about the first error that a project has. */
export function firstErrorView(
  projectId: string,
  error: { readonly issueId: string; readonly timestamp: Date },
): FirstEventView {
  return {
    what: t("an error"),
    href: `${sectionPath(projectId, "issues")}/${encodeURIComponent(error.issueId)}`,
    at: error.timestamp.toISOString(),
  };
}

/** What a project without errors received first. */
export type FirstRecord =
  | { readonly kind: "transaction" | "spans"; readonly traceId: string; readonly timestamp: Date }
  | { readonly kind: "log"; readonly timestamp: Date };

/** The same for a project without errors. */
export function firstRecordView(projectId: string, record: FirstRecord): FirstEventView {
  const at = record.timestamp.toISOString();
  if (record.kind === "log") return { what: t("a log"), href: sectionPath(projectId, "logs"), at };
  return {
    what: record.kind === "transaction" ? t("a transaction") : t("a trace"),
    href: `${sectionPath(projectId, "traces")}/${record.traceId}`,
    at,
  };
}

/** The same for a project that has neither errors, traces nor logs, but for instance a session. */
export function firstOtherView(receivedAt: Date): FirstEventView {
  return { what: "", href: null, at: receivedAt.toISOString() };
}

/** Reads what the stream sent, or null when it is something else. */
export function parseFirstEvent(json: string): FirstEventView | null {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return null;
  if (!("what" in value) || !("href" in value) || !("at" in value)) return null;
  const { what, href, at } = value;
  const isView = typeof what === "string" && typeof at === "string" &&
    (href === null || typeof href === "string");
  if (!isView) return null;
  const site = "site" in value ? readSite(value.site) : null;
  return { what, href, at, ...site && { site } };
}

function readSite(value: unknown): OfferedSite | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("host" in value) || !("href" in value)) return null;
  const { host, href } = value;
  return typeof host === "string" && typeof href === "string" ? { host, href } : null;
}
