/** What came beside an event: files, and what people wrote about it. */
import type { AttachmentRow } from "../attachments.ts";
import type { FeedbackRow } from "../feedback.ts";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { FeedbackItem } from "./feedback_item.tsx";
import { formatBytes } from "../../ui/format.ts";
import { visible } from "../../ui/read.ts";

/** Names by which a picture or a text is guessed; the bytes decide when it is opened. */
const PREVIEWABLE = /^(?:image\/(?:png|jpeg|gif|webp)|text\/|application\/(?:json|xml|x-ndjson))/;

export interface AttachmentPanelProps {
  readonly attachments: readonly AttachmentRow[];
  /** Address of the event, without a slash at its end. */
  readonly eventPath: string;
}

/** The files that came with an event. */
export function AttachmentPanel({ attachments, eventPath }: AttachmentPanelProps) {
  if (attachments.length === 0) return null;
  return (
    <Panel title="Attachments" id="attachments" class="mt-4" flush>
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
                <a class="link" href={`${href}?preview`} target="_blank" rel="noreferrer">View</a>
              )}
              <a class="link inline-flex items-center gap-1" href={href}>
                <Icon name="external" size={14} />Download
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
    <Panel title="User feedback" id="feedback" class="mb-4" flush>
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

export interface TraceLogsProps {
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
        {count === 1 ? "1 log" : `${count} logs`} of this trace
      </a>
    </p>
  );
}
