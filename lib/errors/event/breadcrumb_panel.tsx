import { classes, Icon, type IconName } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { formatDateTime, formatDuration, NONE } from "../../ui/format.ts";
import { CutText, Value } from "../../ui/value_table.tsx";
import type { Breadcrumb, CrumbKind } from "./interfaces.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

/** So many are on the page at once; what happened long before stands behind one click. */
const SHOWN_AT_ONCE = 12;
/** The longest message of one step. */
const MAX_MESSAGE = 1_000;

export interface BreadcrumbPanelProps {
  /** Newest first. */
  readonly crumbs: readonly Breadcrumb[];
  /** When the event happened, from which the steps are counted back. */
  readonly eventAt: Date;
}

/** What happened before the event, the last step first, with the time that was left. */
export function BreadcrumbPanel({ crumbs, eventAt }: BreadcrumbPanelProps) {
  const earlier = crumbs.slice(SHOWN_AT_ONCE);
  return (
    <Panel
      id="breadcrumbs"
      title={t("Breadcrumbs ({n})", { n: crumbs.length })}
      description={t("What happened before, the last step first")}
    >
      <Timeline crumbs={crumbs.slice(0, SHOWN_AT_ONCE)} eventAt={eventAt} />
      {earlier.length > 0 && (
        <details>
          <summary class="mt-2 inline-block text-sm text-accent underline">
            {t("{n} earlier step|{n} earlier steps", { n: earlier.length })}
          </summary>
          <Timeline crumbs={earlier} eventAt={eventAt} />
        </details>
      )}
    </Panel>
  );
}

const KINDS: Record<CrumbKind, { icon: IconName; word: Message }> = {
  error: { icon: "error", word: message("error") },
  http: { icon: "external", word: message("http") },
  navigation: { icon: "arrow-right", word: message("navigation") },
  ui: { icon: "user", word: message("user") },
  query: { icon: "projects", word: message("query") },
  console: { icon: "more", word: message("log") },
  other: { icon: "minus", word: message("step") },
};

const LEVEL_LOOKS: ReadonlyMap<string, string> = new Map([
  ["fatal", "border-danger text-danger"],
  ["error", "border-danger text-danger"],
  ["warning", "border-warning text-warning"],
]);

function Timeline({ crumbs, eventAt }: BreadcrumbPanelProps) {
  return (
    <ol>
      {crumbs.map((crumb, index) => (
        <li
          key={index}
          class="relative flex gap-3 pb-2 before:absolute before:top-6 before:bottom-0 before:left-3 before:border-l before:border-line last:before:hidden"
        >
          <Mark crumb={crumb} />
          <div class="min-w-0 flex-1 pt-0.5 text-sm">
            <div class="flex items-baseline gap-2">
              <span class="font-medium wrap-anywhere">
                {crumb.category || t(KINDS[crumb.kind].word)}
              </span>
              {crumb.level !== "info" && (
                <span class={classes("text-meta", levelText(crumb.level))}>
                  {levelWord(crumb.level)}
                </span>
              )}
              <span class="ml-auto text-meta whitespace-nowrap text-muted tabular-nums">
                {crumb.at
                  ? (
                    <time datetime={crumb.at.toISOString()} title={formatDateTime(crumb.at)}>
                      {timeBefore(crumb.at, eventAt)}
                    </time>
                  )
                  : NONE}
              </span>
            </div>
            <CrumbText text={crumb.message} />
            <Data entries={crumb.data} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function Mark({ crumb }: { readonly crumb: Breadcrumb }) {
  return (
    <span
      class={classes(
        "z-1 flex size-6 shrink-0 items-center justify-center rounded-full border bg-surface",
        LEVEL_LOOKS.get(crumb.level) ?? "border-line text-muted",
      )}
    >
      <Icon name={KINDS[crumb.kind].icon} size={12} />
    </span>
  );
}

function CrumbText({ text }: { readonly text: string }) {
  if (text === "") return null;
  return (
    <p class="whitespace-pre-wrap wrap-anywhere" dir="auto">
      <CutText text={text} max={MAX_MESSAGE} />
    </p>
  );
}

function Data({ entries }: { readonly entries: Breadcrumb["data"] }) {
  if (entries.length === 0) return null;
  return (
    <dl class="text-meta text-muted">
      {entries.map(([name, value], index) => (
        <div key={index} class="flex gap-2">
          <dt class="max-w-1/2 shrink-0 wrap-anywhere">{name}</dt>
          <dd class="min-w-0">
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LEVEL_WORDS: ReadonlyMap<string, Message> = new Map([
  ["fatal", message("fatal@@level")],
  ["error", message("error@@level")],
  ["warning", message("warning@@level")],
  ["debug", message("debug@@level")],
]);

function levelWord(level: string): string {
  const known = LEVEL_WORDS.get(level);
  return known === undefined ? level : t(known);
}

function levelText(level: string): string {
  if (level === "error" || level === "fatal") return "text-danger";
  return level === "warning" ? "text-warning" : "text-muted";
}

/** `1.2 s before`; a client's clock may also put a step after its event. */
function timeBefore(at: Date, eventAt: Date): string {
  const distance = eventAt.getTime() - at.getTime();
  if (distance === 0) return t("at once");
  const time = formatDuration(Math.abs(distance));
  return distance > 0 ? t("{time} before", { time }) : t("{time} after", { time });
}
