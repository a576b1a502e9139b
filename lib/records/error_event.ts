import type { Blob, Origin, TracePlace } from "./origin.ts";

export const LEVELS = ["debug", "info", "warning", "error", "fatal"] as const;
export type Level = (typeof LEVELS)[number];

/** `error`: it has exceptions · `default`: a message · `csp`: a security report. */
export type ErrorType = "error" | "default" | "csp";

/** Which issue an event belongs to. Any known hash of any version finds it; the first is stored for new ones. */
export interface Grouping {
  /** Version of the algorithm that made the hashes, kept with each group. */
  readonly version: number;
  /** 32 lower-case hex digits each, most specific first; at least one. */
  readonly hashes: readonly [string, ...string[]];
}

/** What the issue list shows of the exception that names the issue. */
export interface IssueMetadata {
  readonly type?: string;
  readonly value?: string;
  readonly filename?: string;
  readonly function?: string;
}

/**
 * Texts that issues are found by: well-formed Unicode in lower case, with NUL between them. Each begins with the digit
 * of its kind. 0: the value of an exception, or a message · 1: a frame, its function, filename, module, abs_path and
 * package on a line each · 2: the number of a line in a frame of the application.
 */
export type SearchTexts = string;

/** One error or message, normalised: columns that lists need, and the whole event as JSON text. */
export interface ErrorEvent {
  readonly kind: "error";
  /** 32 lower-case hex digits, no hyphens. */
  readonly eventId: string;
  /** When it happened, corrected for client drift and clamped to the retention. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly type: ErrorType;
  readonly level: Level;
  readonly platform: string;
  /** `""` when the client named none; the same for release and dist. */
  readonly environment: string;
  readonly release: string;
  readonly dist: string;
  /** Transaction name that the event happened in, or `""`. */
  readonly transaction: string;
  readonly title: string;
  readonly culprit: string;
  readonly metadata: IssueMetadata;
  /** Identity for "users affected", as `id:7`, `username:ann`, `email:a@b.c`, `ip:10.0.0.1`; or null. */
  readonly user: string | null;
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
  /** Searchable tags without duplicates, at most 100; keys and values at most 200 characters. */
  readonly tags: readonly (readonly [key: string, value: string])[];
  /** What the event is found by beside its tags, see `event_facts.ts`; values at most 200 characters. */
  readonly facts: readonly (readonly [key: string, value: string])[];
  /** What each value and each stack says, for the search within them. */
  readonly texts: readonly SearchTexts[];
  /** `name/version` of the SDK, or `""`. */
  readonly sdk: string;
  readonly grouping: Grouping;
  /** The normalised event as JSON text: well-formed Unicode without NUL. */
  readonly payload: string;
}

/**
 * What events are found by beside their tags, under the names that Sentry searches by: fields of contexts, each as
 * `<context>.<field>`; ids, clocks and amounts of memory find nothing that helps.
 */
export const CONTEXT_FACTS: Readonly<Record<string, readonly string[]>> = {
  app: ["app_name", "app_version", "app_build", "app_identifier"],
  browser: ["name", "version"],
  client_os: ["name", "version"],
  cloud_resource: ["cloud.provider", "cloud.platform", "cloud.region"],
  culture: ["locale", "timezone"],
  device: ["name", "family", "model", "brand", "arch"],
  gpu: ["name", "vendor_name"],
  os: ["name", "version", "build", "kernel_version"],
  response: ["status_code"],
  runtime: ["name", "version"],
};

/** Fields of the user, by the kind of user key that they make. */
export const USER_FACTS = {
  id: "id",
  username: "username",
  email: "email",
  ip: "ip_address",
} as const;

/** The key that a field of a context is searched by; null when it is not kept for that. */
export function contextKey(context: string, field: string): string | null {
  const fields = Object.hasOwn(CONTEXT_FACTS, context) ? CONTEXT_FACTS[context] : undefined;
  return fields?.includes(field) ? `${context}.${field}` : null;
}

const OTHER_FACTS: ReadonlySet<string> = new Set(["http.method", "user.name"]);

/** Whether issues are found by a key, while their events do not carry it as a tag. */
export function isFactKey(key: string): boolean {
  const [context = "", ...field] = key.split(".");
  return OTHER_FACTS.has(key) || contextKey(context, field.join(".")) !== null;
}

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
  /** Somebody has dealt with it where it comes from; absent: it has just been written. */
  readonly isResolved?: boolean;
}
