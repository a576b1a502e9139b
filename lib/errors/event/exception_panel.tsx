import { Badge } from "../../ui/components/badge.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Folded, ValueTable } from "../../ui/value_table.tsx";
import type { Exception, Mechanism } from "./interfaces.ts";
import type { StackForm } from "./source_maps.ts";
import type { FrameMode } from "./stack.ts";
import { type FrameOrder, StackSwitches, StackTrace, type SwitchLinks } from "./stack_trace.tsx";
import type { Thread } from "./view.ts";
import { rich, t } from "../../core/language/translate.ts";

interface ExceptionPanelProps {
  /** Outermost first. */
  readonly exceptions: readonly Exception[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  readonly form: StackForm;
  readonly links: SwitchLinks;
}

/** What broke: the exception that people saw with its stack, then each cause below it. */
export function ExceptionPanel({ exceptions, mode, order, form, links }: ExceptionPanelProps) {
  const title = exceptions.length > 1
    ? t("Exceptions ({n})", { n: exceptions.length })
    : t("Exception");
  return (
    <Panel
      id="exception"
      title={title}
      actions={<StackSwitches mode={mode} order={order} form={form} links={links} />}
    >
      <ExceptionList exceptions={exceptions} level={0} mode={mode} order={order} />
    </Panel>
  );
}

type ExceptionListProps = Omit<ExceptionPanelProps, "links" | "form"> & { readonly level: number };

/** Deeper groups stay at the last step, so that a phone has room for their frames. */
const MAX_LEVEL = 4;

/** Those of one level, each followed by the members of its group. */
function ExceptionList({ exceptions, level, mode, order }: ExceptionListProps) {
  const isInner = level > 0;
  return (
    <ol class={isInner ? "mt-5 space-y-5 border-l-2 border-line pl-3 sm:pl-4" : "space-y-5"}>
      {atLevel(exceptions, level).map(({ exception, members }, index) => (
        <li key={index} class="min-w-0">
          <ExceptionBlock exception={exception} mode={mode} order={order} />
          {members.length > 0 && (
            <ExceptionList exceptions={members} level={level + 1} mode={mode} order={order} />
          )}
        </li>
      ))}
    </ol>
  );
}

function atLevel(exceptions: readonly Exception[], level: number) {
  const groups: { exception: Exception; members: Exception[] }[] = [];
  for (const exception of exceptions) {
    const group = groups.at(-1);
    if (group === undefined || level === MAX_LEVEL || exception.depth <= level) {
      groups.push({ exception, members: [] });
    } else group.members.push(exception);
  }
  return groups;
}

interface ExceptionBlockProps {
  readonly exception: Exception;
  readonly mode: FrameMode;
  readonly order: FrameOrder;
}

function ExceptionBlock({ exception, mode, order }: ExceptionBlockProps) {
  const { type, value, module, mechanism, link, frames } = exception;
  return (
    <>
      {link && (
        <p class="mb-1 text-sm text-muted">
          {link.isCause ? t("Caused by") : t("In this group")}
          {link.via !== "" && <code class="ml-1 text-meta">({link.via})</code>}
        </p>
      )}
      <h3 class="font-semibold wrap-anywhere">
        <bdi>{type || t("Stack")}</bdi>
        {module !== "" && <span class="ml-2 font-normal text-muted">{module}</span>}
      </h3>
      {value !== "" && (
        <p
          class="mt-0.5 max-h-60 overflow-y-auto whitespace-pre-wrap wrap-anywhere"
          dir="auto"
          tabindex={value.length > LONG_VALUE ? 0 : undefined}
        >
          {value}
        </p>
      )}
      {mechanism && <MechanismLine mechanism={mechanism} />}
      {frames.length > 0
        ? (
          <div class="mt-2">
            <StackTrace frames={frames} mode={mode} order={order} />
          </div>
        )
        : <p class="mt-1 text-sm text-muted">{t("No stack trace was sent.")}</p>}
    </>
  );
}

/** From about here on a value scrolls in its box, which the keyboard must be able to reach. */
const LONG_VALUE = 600;

/** They say how the SDK found it, which the chain shows already. */
const SILENT_TYPES = new Set(["", "generic", "chained"]);

function MechanismLine({ mechanism }: { readonly mechanism: Mechanism }) {
  const { type, isHandled, description, helpLink, facts } = mechanism;
  return (
    <div class="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
      {isHandled !== null && (isHandled
        ? <Badge title={t("The program caught it and reported it itself")}>{t("handled")}</Badge>
        : (
          <Badge tone="danger" icon="error" title={t("Nothing in the program caught it")}>
            {t("unhandled")}
          </Badge>
        ))}
      {!SILENT_TYPES.has(type) && (
        <span>
          {rich("caught by {type}", { type: <code class="text-meta">{type}</code> })}
        </span>
      )}
      {description !== "" && <span>{description}</span>}
      {helpLink !== "" && (
        <a class="text-accent underline" href={helpLink} rel="noopener noreferrer nofollow">
          {t("Help")}
        </a>
      )}
      {facts.length > 0 && (
        <div class="basis-full">
          <Folded title={t("Mechanism")}>
            <ValueTable entries={facts} label={t("Mechanism")} />
          </Folded>
        </div>
      )}
    </div>
  );
}

interface ThreadPanelProps {
  /** The crashed one first. */
  readonly threads: readonly Thread[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
}

/** What every thread was doing; the one that crashed stands open. */
export function ThreadPanel({ threads, mode, order }: ThreadPanelProps) {
  return (
    <Panel id="threads" title={t("Threads ({n})", { n: threads.length })} flush>
      <ul>
        {threads.map((thread, index) => (
          <li key={index} class="border-b border-line last:border-b-0">
            {thread.frames.length === 0
              ? (
                <div class="flex items-center gap-1.5 px-4 py-2 pl-9 text-sm">
                  <ThreadHead thread={thread} />
                  <span class="text-muted">{t("no stack")}</span>
                </div>
              )
              : (
                <details class="group/thread" open={thread.isCrashed && index === 0}>
                  <summary class="flex items-center gap-1.5 px-4 py-2 text-sm hover:bg-hover">
                    <Icon
                      name="chevron-right"
                      class="text-muted transition-transform group-open/thread:rotate-90"
                    />
                    <ThreadHead thread={thread} />
                  </summary>
                  <div class="px-4 pb-4">
                    <StackTrace frames={thread.frames} mode={mode} order={order} />
                  </div>
                </details>
              )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ThreadHead({ thread }: { readonly thread: Thread }) {
  const { id, name, isCrashed, isCurrent, state } = thread;
  return (
    <>
      <span class="min-w-0 font-mono wrap-anywhere">{name || t("Thread {id}", { id })}</span>
      {name !== "" && id !== "" && <span class="text-muted">#{id}</span>}
      {state !== "" && <span class="text-muted">{state}</span>}
      {isCrashed && <Badge tone="danger" icon="error">{t("crashed")}</Badge>}
      {isCurrent && !isCrashed && <Badge>{t("current")}</Badge>}
    </>
  );
}
