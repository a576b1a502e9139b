import type { FeedbackRow } from "../feedback.ts";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { SafeLink } from "../../ui/safe_link.tsx";
import { visible } from "../../ui/read.ts";

export interface FeedbackItemProps {
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
          <bdi>{who === "" ? "Anonymous" : visible(who)}</bdi>
        </span>
        <span>
          <RelativeTime date={feedback.timestamp} />
        </span>
        {feedback.url !== "" && (
          <span class="min-w-0 wrap-anywhere">
            on <SafeLink href={feedback.url} />
          </span>
        )}
        {feedback.release !== "" && <span class="font-mono">{visible(feedback.release)}</span>}
        {feedback.environment !== "" && <span>{visible(feedback.environment)}</span>}
        {eventHref !== null && (
          <a class="link above-row-link" href={eventHref}>The error it is about</a>
        )}
      </p>
    </div>
  );
}
