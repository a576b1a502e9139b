import type { Origin, TracePlace } from "./origin.ts";

/** What a person wrote about the application, with or without an error. */
export interface Feedback extends Origin, TracePlace {
  readonly kind: "feedback";
  /** 32 lower-case hex digits. */
  readonly feedbackId: string;
  /** The error that it is about, or null. */
  readonly eventId: string | null;
  readonly message: string;
  readonly name: string;
  /** Any text: people mistype. */
  readonly email: string;
  /** Page that it was written on. */
  readonly url: string;
  /** As `widget`, `api`, `user_report`. */
  readonly source: string;
  readonly platform: string;
  readonly user: string | null;
  /** The normalised event as JSON text. */
  readonly payload: string;
}
