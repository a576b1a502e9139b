import type { Blob } from "./origin.ts";

/** A file that came with an event, or alone for one. */
export interface Attachment {
  readonly kind: "attachment";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly attachmentId: string;
  /** Of the event it belongs to, which may never come. */
  readonly eventId: string;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  /** As sent, cleaned of control characters and cut to 200: for people, never a path. */
  readonly filename: string;
  /** As sent or guessed from the name; `application/octet-stream` when unknown. */
  readonly contentType: string;
  /** As `event.attachment`, `event.view_hierarchy`. */
  readonly attachmentType: string;
  readonly blob: Blob;
}
