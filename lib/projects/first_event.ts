import type { FirstRecord } from "./first_record.ts";
import { sectionPath } from "../ui/links.ts";

/** The first data of a project as the Setup page shows it; goes over the wire as JSON. */
export interface FirstEventView {
  /** What it is, as "an error". */
  readonly what: string;
  /** Page that shows it, or null: there is none for its kind. */
  readonly href: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** What the page and its stream tell about the first error that a project has. */
export function firstErrorView(
  projectId: string,
  error: { readonly issueId: string; readonly timestamp: Date },
): FirstEventView {
  return {
    what: "an error",
    href: `${sectionPath(projectId, "issues")}/${encodeURIComponent(error.issueId)}`,
    at: error.timestamp.toISOString(),
  };
}

/** The same for a project without errors. */
export function firstRecordView(projectId: string, record: FirstRecord): FirstEventView {
  const at = record.timestamp.toISOString();
  if (record.kind === "log") return { what: "a log", href: sectionPath(projectId, "logs"), at };
  return {
    what: record.kind === "transaction" ? "a transaction" : "a trace",
    href: `${sectionPath(projectId, "traces")}/${record.traceId}`,
    at,
  };
}

/** The same for a project that has neither errors, traces nor logs, but for instance a session. */
export function firstOtherView(receivedAt: Date): FirstEventView {
  return { what: "", href: null, at: receivedAt.toISOString() };
}

/** Reads what the stream sent, or null when it is something else. */
export function parseFirstEvent(json: string): FirstEventView | null {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return null;
  if (!("what" in value) || !("href" in value) || !("at" in value)) return null;
  const { what, href, at } = value;
  const isView = typeof what === "string" && typeof at === "string" &&
    (href === null || typeof href === "string");
  return isView ? { what, href, at } : null;
}
