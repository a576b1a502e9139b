import type { StoredEvent } from "../events.ts";
import type { Exception } from "./exceptions.ts";
import { BreadcrumbPanel } from "./breadcrumb_panel.tsx";
import {
  ContextPanel,
  EntriesPanel,
  ProblemsPanel,
  ScrubbedNote,
  SdkPanel,
  TracePanel,
} from "./detail_panels.tsx";
import { type EventView, userKeyOf } from "./event_view.ts";
import { ExceptionPanel } from "./exception_panel.tsx";
import type { FrameMode } from "./frame_groups.ts";
import { HighlightStrip } from "./highlight_strip.tsx";
import { highlightsOf } from "./highlights.ts";
import { MessagePanel } from "./message_panel.tsx";
import { asText } from "../../ui/read.ts";
import { RequestPanel } from "./request_panel.tsx";
import { SectionLinks } from "./section_links.tsx";
import type { FrameOrder } from "./stack_trace.tsx";
import type { SwitchLinks } from "./stack_switches.tsx";
import { TagPanel, type TagSpread, TagSpreadPanel } from "./tag_panels.tsx";
import { ThreadPanel } from "./thread_panel.tsx";

/** The columns of a stored event that the page shows beside its payload. */
export type EventColumns = Pick<
  StoredEvent,
  "timestamp" | "tags" | "traceId" | "environment" | "release" | "transaction"
>;

export interface EventSectionsProps {
  readonly event: EventColumns;
  /** From `fitPage(viewEvent(event.payload))`. */
  readonly view: EventView;
  readonly spreads: readonly TagSpread[];
  readonly mode: FrameMode;
  readonly order: FrameOrder;
  readonly switchLinks: SwitchLinks;
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
        <WhatBroke {...props} />
        {view.breadcrumbs.length > 0 && (
          <BreadcrumbPanel crumbs={view.breadcrumbs} eventAt={event.timestamp} />
        )}
        {view.request && <RequestPanel request={view.request} />}
        {tags.length > 0 && <TagPanel tags={tags} linkTo={tagHref} />}
        {view.contexts.length > 0 && <ContextPanel contexts={view.contexts} linkTo={tagHref} />}
        {view.extra.length > 0 && (
          <EntriesPanel id="extra" title="Additional data" entries={view.extra} />
        )}
        {view.problems.length > 0 && <ProblemsPanel problems={view.problems} />}
        {view.scrubbed && <ScrubbedNote {...view.scrubbed} />}
      </div>
      <aside class="min-w-0 space-y-4" aria-label="About this issue">
        {spreads.length > 0 && <TagSpreadPanel spreads={spreads} tags={tags} linkTo={tagHref} />}
        {view.user.length > 0 && (
          <EntriesPanel
            id="user"
            title="User"
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
function WhatBroke({ view, mode, order, switchLinks }: EventSectionsProps) {
  const { message, exceptions, stack, threads, csp } = view;
  const shown = exceptions.length > 0 ? exceptions : stackAsException(view);
  // An exception without type only carries the stack of the message.
  const isMessage = shown.every(({ type }) => type === "");
  return (
    <>
      {message && isMessage && <MessagePanel message={message} />}
      {shown.length > 0 && (
        <ExceptionPanel exceptions={shown} mode={mode} order={order} links={switchLinks} />
      )}
      {message && !isMessage && <MessagePanel message={message} />}
      {csp.length > 0 && <EntriesPanel id="csp" title="Security policy report" entries={csp} />}
      {!message && shown.length === 0 && csp.length === 0 && stack.length === 0 && (
        <EntriesPanel
          id="nothing"
          title="What happened"
          entries={[["", "The event holds neither an exception nor a message."]]}
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
