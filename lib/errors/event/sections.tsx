import type { ComponentChildren } from "preact";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatBytes } from "../../ui/format.ts";
import { asText, visible } from "../../ui/json.ts";
import { SafeLink } from "../../ui/value_table.tsx";
import type { AttachmentRow, FeedbackRow, StoredEvent } from "../events.ts";
import type { TagDistribution } from "../tags.ts";
import { BreadcrumbPanel } from "./breadcrumb_panel.tsx";
import {
  ContextPanel,
  EntriesPanel,
  MessagePanel,
  ProblemsPanel,
  RequestPanel,
  ScrubbedNote,
  SdkPanel,
  TracePanel,
} from "./detail_panels.tsx";
import { ExceptionPanel, ThreadPanel } from "./exception_panel.tsx";
import type { Exception } from "./interfaces.ts";
import { SourceMapPanel } from "./source_map_panel.tsx";
import type { StackForm } from "./source_maps.ts";
import type { FrameMode } from "./stack.ts";
import type { FrameOrder, SwitchLinks } from "./stack_trace.tsx";
import { highlightsOf, HighlightStrip, TagPanel, TagSpreadPanel } from "./tag_panels.tsx";
import { type EventView, userKeyOf } from "./view.ts";
import { rich, t } from "../../core/language/translate.ts";

/** The columns of a stored event that the page shows beside its payload. */
type EventColumns = Pick<
  StoredEvent,
  "timestamp" | "tags" | "traceId" | "environment" | "release" | "transaction"
>;

interface EventSectionsProps {
  /** Who may know more of it: before the stack. */
  readonly suspects: ComponentChildren;
  /** What the team makes of the issue: beside the event, before its tags. */
  readonly team: ComponentChildren;
  readonly event: EventColumns;
  /** From `fitPage(viewEvent(event.payload))`. */
  readonly view: EventView;
  readonly spreads: readonly TagDistribution[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  readonly form: StackForm;
  readonly switchLinks: SwitchLinks;
  /** Where the button that maps the issue again posts to; null for who may only look. */
  readonly forms: { readonly action: string; readonly back: string } | null;
  /** Where the issues with a tag are listed. */
  readonly tagHref: (key: string, value: string) => string;
  /** The page of a trace, with a span opened. */
  readonly traceHref: (traceId: string, spanId: string) => string;
}

/** Everything an event holds: what broke and what led to it at the left, whom it hit at the right. */
export function EventSections(props: EventSectionsProps) {
  const { event, view, spreads, tagHref, traceHref } = props;
  const { tags } = event;
  return (
    <div class="grid gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]">
      <div class="min-w-0 space-y-4">
        <HighlightStrip highlights={highlightsOf(event, view)} linkTo={tagHref} />
        <SectionLinks view={view} hasTags={tags.length > 0} />
        {props.suspects}
        <WhatBroke {...props} />
        {view.sourceMaps && <SourceMapPanel sourceMaps={view.sourceMaps} form={props.forms} />}
        {view.breadcrumbs.length > 0 && (
          <BreadcrumbPanel crumbs={view.breadcrumbs} eventAt={event.timestamp} />
        )}
        {view.request && <RequestPanel request={view.request} />}
        {tags.length > 0 && <TagPanel tags={tags} linkTo={tagHref} />}
        {view.contexts.length > 0 && <ContextPanel contexts={view.contexts} linkTo={tagHref} />}
        {view.extra.length > 0 && (
          <EntriesPanel id="extra" title={t("Additional data")} entries={view.extra} />
        )}
        {view.problems.length > 0 && <ProblemsPanel problems={view.problems} />}
        {view.scrubbed && <ScrubbedNote {...view.scrubbed} />}
      </div>
      <aside class="min-w-0 space-y-4" aria-label={t("About this issue")}>
        {props.team}
        {spreads.length > 0 && <TagSpreadPanel spreads={spreads} tags={tags} linkTo={tagHref} />}
        {view.user.length > 0 && (
          <EntriesPanel
            id="user"
            title={t("User")}
            entries={view.user}
            linkTo={(label, value) => {
              const key = userKeyOf(label);
              return key === null ? null : tagHref(key, asText(value));
            }}
          />
        )}
        {event.traceId && (
          <TracePanel
            traceId={event.traceId}
            spanId={spanIdOf(view)}
            href={traceHref(event.traceId, spanIdOf(view))}
          />
        )}
        {(view.sdk || view.modules.length > 0) && (
          <SdkPanel
            sdk={view.sdk}
            modules={view.modules}
          />
        )}
      </aside>
    </div>
  );
}

/** Exceptions, or the message, or both when the exception only carries the message's stack. */
function WhatBroke({ view, mode, order, form, switchLinks }: EventSectionsProps) {
  const { message, exceptions, stack, threads, csp } = view;
  const shown = exceptions.length > 0 ? exceptions : stackAsException(view);
  // An exception without type only carries the stack of the message.
  const isMessage = shown.every(({ type }) => type === "");
  return (
    <>
      {message && isMessage && <MessagePanel message={message} />}
      {shown.length > 0 && (
        <ExceptionPanel
          exceptions={shown}
          mode={mode}
          order={order}
          form={form}
          links={switchLinks}
        />
      )}
      {message && !isMessage && <MessagePanel message={message} />}
      {csp.length > 0 && (
        <EntriesPanel
          id="csp"
          title={t("Security policy report")}
          entries={csp}
        />
      )}
      {!message && shown.length === 0 && csp.length === 0 && stack.length === 0 && (
        <EntriesPanel
          id="nothing"
          title={t("What happened")}
          entries={[["", t("The event holds neither an exception nor a message.")]]}
        />
      )}
      {threads.length > 0 && <ThreadPanel threads={threads} mode={mode} order={order} />}
    </>
  );
}

/** A stack that came without exception is read the same way. */
function stackAsException({ stack }: EventView): readonly Exception[] {
  if (stack.length === 0) return [];
  return [{
    type: "",
    value: "",
    module: "",
    mechanism: null,
    link: null,
    depth: 0,
    frames: stack,
  }];
}

function spanIdOf({ contexts }: EventView): string {
  const entries = contexts.find(({ key }) => key === "trace")?.entries ?? [];
  return asText(entries.find(([name]) => name === "span_id")?.[1]);
}

/** The way down a long page: a link to each panel that the event fills. */
function SectionLinks(
  { view, hasTags }: { readonly view: EventView; readonly hasTags: boolean },
) {
  const sections: [id: string, label: string, isThere: boolean][] = [
    ["message", t("Message"), view.message !== null],
    ["exception", t("Stack trace"), view.exceptions.length + view.stack.length > 0],
    ["threads", t("Threads"), view.threads.length > 0],
    ["breadcrumbs", t("Breadcrumbs"), view.breadcrumbs.length > 0],
    ["request", t("Request"), view.request !== null],
    ["tags", t("Tags"), hasTags],
    ["contexts", t("Contexts"), view.contexts.length > 0],
    ["extra", t("Additional data"), view.extra.length > 0],
  ];
  return (
    <nav aria-label={t("Parts of this event")}>
      <ul class="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {sections.filter(([, , isThere]) => isThere).map(([id, label]) => (
          <li key={id}>
            <a class="text-accent hover:underline" href={`#${id}`}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Names by which a picture or a text is guessed; the bytes decide when it is opened. */
const PREVIEWABLE = /^(?:image\/(?:png|jpeg|gif|webp)|text\/|application\/(?:json|xml|x-ndjson))/;

interface AttachmentPanelProps {
  readonly attachments: readonly AttachmentRow[];
  /** Address of the event, without a slash at its end. */
  readonly eventPath: string;
}

/** The files that came with an event. */
export function AttachmentPanel({ attachments, eventPath }: AttachmentPanelProps) {
  if (attachments.length === 0) return null;
  return (
    <Panel title={t("Attachments")} id="attachments" class="mt-4" flush>
      <ul class="divide-y divide-line">
        {attachments.map((file) => {
          const href = `${eventPath}/attachments/${file.attachmentId}`;
          return (
            <li
              key={file.attachmentId}
              class="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm"
            >
              <span
                class="min-w-0 flex-1 basis-60 truncate font-mono"
                title={visible(file.filename)}
              >
                <bdi>{visible(file.filename)}</bdi>
              </span>
              <span class="text-muted">{visible(file.contentType)}</span>
              <span class="w-20 text-right tabular-nums">{formatBytes(file.sizeBytes)}</span>
              {PREVIEWABLE.test(file.contentType) && (
                <a class="link" href={`${href}?preview`} target="_blank" rel="noreferrer">
                  {t("View@@preview")}
                </a>
              )}
              <a class="link inline-flex items-center gap-1" href={href}>
                <Icon name="external" size={14} />
                {t("Download")}
              </a>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** What people wrote about an event. */
export function EventFeedbackPanel({ feedback }: { readonly feedback: readonly FeedbackRow[] }) {
  if (feedback.length === 0) return null;
  return (
    <Panel title={t("User feedback")} id="feedback" class="mb-4" flush>
      <ul class="divide-y divide-line">
        {feedback.map((row) => (
          <li key={row.feedbackId} class="px-4 py-3">
            <FeedbackItem feedback={row} eventHref={null} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface TraceLogsProps {
  /** How many logs the event's trace has. */
  readonly count: number;
  readonly href: string;
}

/** The way from an event to the logs of its trace. */
export function TraceLogs({ count, href }: TraceLogsProps) {
  if (count === 0) return null;
  return (
    <p class="mb-4 text-sm">
      <a class="link inline-flex items-center gap-1.5" href={href}>
        <Icon name="logs" size={14} />
        {t("{n} log of this trace|{n} logs of this trace", { n: count })}
      </a>
    </p>
  );
}

interface FeedbackItemProps {
  readonly feedback: FeedbackRow;
  /** Where the event it is about is, or null. */
  readonly eventHref: string | null;
}

/** What somebody wrote: the words, who, where, and what about. */
export function FeedbackItem({ feedback, eventHref }: FeedbackItemProps) {
  const who = [feedback.name, feedback.email].filter((part) => part !== "").join(" · ");
  return (
    <div class="min-w-0">
      <p class="wrap-anywhere whitespace-pre-wrap" dir="auto">{visible(feedback.message)}</p>
      <p class="mt-1 flex flex-wrap gap-x-2 gap-y-0.5 text-sm text-muted">
        <span class="wrap-anywhere">
          <bdi>{who === "" ? t("Anonymous") : visible(who)}</bdi>
        </span>
        <span>
          <RelativeTime date={feedback.timestamp} />
        </span>
        {feedback.url !== "" && (
          <span class="min-w-0 wrap-anywhere">
            {rich("on {page}", { page: <SafeLink href={feedback.url} /> })}
          </span>
        )}
        {feedback.release !== "" && <span class="font-mono">{visible(feedback.release)}</span>}
        {feedback.environment !== "" && <span>{visible(feedback.environment)}</span>}
        {eventHref !== null && (
          <a class="link above-row-link" href={eventHref}>{t("The error it is about")}</a>
        )}
      </p>
    </div>
  );
}
