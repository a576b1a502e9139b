import { Badge } from "../../ui/components/badge.tsx";
import { type CodeToken, highlightLines, type Language } from "../../ui/components/highlight.ts";
import { classes, Icon } from "../../ui/components/icon.tsx";
import { visible } from "../../ui/json.ts";
import { ValueTable } from "../../ui/value_table.tsx";
import type { StackForm } from "./source_maps.ts";
import {
  type Frame,
  type FrameGroup,
  type FrameMode,
  groupFrames,
  oldestFirst,
  type SourceLine,
} from "./stack.ts";
import { t } from "../../core/language/translate.ts";

export type FrameOrder = "newest" | "oldest";

interface StackTraceProps {
  /** Newest first. */
  readonly frames: readonly Frame[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  /** Whether the frame of interest stands open. @default true */
  readonly opensFrame?: boolean;
}

/** The calls that led to an error, in-app frames first to the eye, runs of library frames folded. */
export function StackTrace({ frames, mode, order, opensFrame = true }: StackTraceProps) {
  const groups = groupFrames(frames, mode);
  const ordered = order === "oldest" ? oldestFirst(groups) : groups;
  return (
    <ol class="rounded-md border border-line" aria-label={t("Stack trace")}>
      {ordered.map((group, index) => <Group key={index} group={group} opensFrame={opensFrame} />)}
    </ol>
  );
}

function Group(
  { group, opensFrame }: { readonly group: FrameGroup; readonly opensFrame: boolean },
) {
  switch (group.kind) {
    case "frame":
      return <FrameRow frame={group.frame} isOpen={group.isOpen && opensFrame} />;
    case "run":
      return <Run frames={group.frames} origins={group.origins} />;
    case "gap":
      return (
        <li class="border-b border-line px-3 py-1.5 pl-9 text-sm text-muted last:border-b-0">
          {t("{n} frame was left out here|{n} frames were left out here", { n: group.count })}
        </li>
      );
  }
}

interface RunProps {
  readonly frames: readonly Frame[];
  readonly origins: readonly string[];
}

function Run({ frames, origins }: RunProps) {
  return (
    <li class="border-b border-line last:border-b-0">
      <details class="group/run">
        <summary class="flex items-center gap-1.5 bg-canvas px-3 py-1.5 text-sm text-muted hover:text-ink">
          <Icon
            name="chevron-right"
            class="transition-transform group-open/run:rotate-90"
          />
          <span class="min-w-0 truncate">
            {t("{n} library frame|{n} library frames", { n: frames.length })}
            {origins.length > 0 && (
              <span class="font-mono text-meta">{` · ${origins.join(", ")}`}</span>
            )}
          </span>
        </summary>
        <ol class="border-t border-line">
          {frames.map((frame, index) => <FrameRow key={index} frame={frame} isOpen={false} />)}
        </ol>
      </details>
    </li>
  );
}

/** Where the page is found with the stack shown another way. */
export interface SwitchLinks {
  readonly mode: Readonly<Record<FrameMode, string>>;
  readonly order: Readonly<Record<FrameOrder, string>>;
  /** Null where there is only one form. */
  readonly form: Readonly<Record<StackForm, string>> | null;
}

interface StackSwitchesProps {
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  readonly form: StackForm;
  readonly links: SwitchLinks;
}

/** Choices as links: mapped or as it came, which frames stand by themselves, and from which end they are read. */
export function StackSwitches({ mode, order, form, links }: StackSwitchesProps) {
  return (
    <>
      {links.form && (
        <Switch
          label={t("Source maps")}
          current={form}
          options={[
            ["mapped", t("Mapped"), links.form.mapped],
            ["minified", t("Minified"), links.form.minified],
          ]}
        />
      )}
      <Switch
        label={t("Frames")}
        current={mode}
        options={[["app", t("In app"), links.mode.app], ["all", t("All frames"), links.mode.all]]}
      />
      <Switch
        label={t("Order")}
        current={order}
        options={[
          ["newest", t("Newest first"), links.order.newest],
          ["oldest", t("Oldest first"), links.order.oldest],
        ]}
      />
    </>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly current: string;
  readonly options: readonly (readonly [value: string, label: string, href: string])[];
}

function Switch({ label, current, options }: SwitchProps) {
  return (
    <nav aria-label={label}>
      <ul class="flex rounded-md border border-line-strong text-meta">
        {options.map(([value, text, href], index) => (
          <li key={value} class={classes(index > 0 && "border-l border-line-strong")}>
            <a
              href={href}
              aria-current={value === current ? "true" : undefined}
              class={classes(
                "block px-2 py-0.5 whitespace-nowrap",
                value === current ? "bg-accent-soft font-medium text-accent" : "text-muted",
                "hover:text-ink",
              )}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface FrameRowProps {
  readonly frame: Frame;
  readonly isOpen: boolean;
}

/** One call of a stack: where it is on one line; source, variables and more when opened. */
function FrameRow({ frame, isOpen }: FrameRowProps) {
  if (!hasDetails(frame)) {
    return (
      <li class="border-b border-line last:border-b-0">
        <div class={HEAD}>
          <span class="w-4 shrink-0" />
          <FrameHead frame={frame} />
        </div>
      </li>
    );
  }
  return (
    <li class="border-b border-line last:border-b-0">
      <details open={isOpen && isWorthOpening(frame)} class="group/frame">
        <summary class={classes(HEAD, "hover:bg-hover")}>
          <Icon
            name="chevron-right"
            class="mt-0.5 text-muted transition-transform group-open/frame:rotate-90"
          />
          <FrameHead frame={frame} />
        </summary>
        <FrameBody frame={frame} />
      </details>
    </li>
  );
}

const HEAD = "flex items-start gap-1.5 px-3 py-1.5 text-sm";

function FrameHead({ frame }: { readonly frame: Frame }) {
  const { name, file, path, line, column, isInApp, repeats, unmapped } = frame;
  const place = [file, line, line === null ? null : column].filter((part) => part !== null);
  return (
    <>
      <span class="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
        <span
          class={classes(
            "min-w-0 font-mono wrap-anywhere",
            isInApp ? "font-semibold" : "text-muted",
          )}
          dir="ltr"
        >
          {name || t("(no function name)")}
        </span>
        {file !== "" && (
          <span class="min-w-0 font-mono text-meta wrap-anywhere text-muted" dir="ltr" title={path}>
            {place.join(":")}
          </span>
        )}
        {unmapped !== "" && (
          <a
            href="#source-maps"
            class="basis-full text-meta text-muted underline decoration-dotted wrap-anywhere"
          >
            {t("Not mapped: {reason}", { reason: visible(unmapped) })}
          </a>
        )}
        {repeats > 1 && (
          <Badge title={t("The call repeats itself without another between")}>
            {t("{n} time|{n} times", { n: repeats })}
          </Badge>
        )}
      </span>
      {isInApp && <Badge tone="accent" class="shrink-0">{t("in app")}</Badge>}
    </>
  );
}

function FrameBody({ frame }: { readonly frame: Frame }) {
  const { path, facts, source, variables, language, isCut, code } = frame;
  const details = path === "" ? facts : [[t("Path"), path] as const, ...facts];
  return (
    <div>
      {code && (
        <p class="border-b border-line px-4 py-1 pl-9 text-meta">
          <a
            class="link inline-flex items-center gap-1 wrap-anywhere"
            href={code.url}
            rel="noopener noreferrer nofollow"
          >
            <Icon name="external" size={12} />
            {visible(code.label)}
          </a>
        </p>
      )}
      {source.length > 0 && <SourceBlock lines={source} language={language} />}
      {isCut && (
        <p class="px-4 py-1.5 pl-9 text-sm text-muted">
          {t(
            "Source and variables of this frame are in the raw event only: the page would grow too large.",
          )}
        </p>
      )}
      {variables.length > 0 && (
        <div class="border-t border-line px-4 py-1.5 pl-9">
          <ValueTable entries={variables} label={t("Variables")} />
        </div>
      )}
      {details.length > 0 && (
        <dl class="flex flex-wrap gap-x-4 border-t border-line px-4 py-1.5 pl-9 text-meta text-muted">
          {details.map(([label, value]) => (
            <div key={label} class="min-w-0">
              <dt class="inline">{label}:</dt>
              <dd class="ml-1 inline font-mono wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** A path alone is no reason to push everything else down. */
function isWorthOpening({ source, variables }: Frame): boolean {
  return source.length + variables.length > 0;
}

function hasDetails({ source, variables, facts, path, isCut, code }: Frame): boolean {
  return isCut || code !== null || source.length + variables.length + facts.length > 0 ||
    path !== "";
}

interface SourceBlockProps {
  readonly lines: readonly SourceLine[];
  readonly language: Language;
}

/** Source around a frame, numbered, with the current line marked; scrolls sideways in its own box. */
function SourceBlock({ lines, language }: SourceBlockProps) {
  const tokens = colour(lines.map(({ text }) => text), language);
  return (
    <ol
      class="overflow-x-auto bg-sunken py-1 font-mono text-meta leading-5"
      tabindex={0}
      aria-label={t("Source")}
    >
      {lines.map(({ number, isCurrent }, index) => (
        <li
          key={index}
          class={classes("flex w-max min-w-full", isCurrent && "bg-danger-soft")}
          aria-current={isCurrent ? "true" : undefined}
        >
          <span
            class={classes(
              "sticky left-0 w-14 shrink-0 pr-3 text-right select-none",
              isCurrent ? "bg-danger-soft font-semibold text-danger" : "bg-sunken text-faint",
            )}
          >
            {number !== null && number > 0 ? number : ""}
          </span>
          <code class="pr-4 whitespace-pre" dir="ltr">
            {tokens[index]?.map((token, place) =>
              token.class === ""
                ? token.text
                : <span key={place} class={token.class}>{token.text}</span>
            )}
          </code>
        </li>
      ))}
    </ol>
  );
}

/** What SDKs leave where they cut a long line. */
const CUT = "{snip}";

/**
 * Lines are coloured together, so that a comment or string over several of them is recognised. Where a
 * line was cut, its quotes may stay open, and each line is on its own.
 */
function colour(lines: readonly string[], language: Language): CodeToken[][] {
  return lines.some((line) => line.includes(CUT))
    ? lines.map((line) => highlightLines(line, language)[0] ?? [])
    : highlightLines(lines.join("\n"), language);
}
