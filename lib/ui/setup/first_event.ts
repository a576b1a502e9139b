import { sectionPath } from "../sections.ts";

/** The first event of a project as the Setup page shows it; goes over the wire as JSON. */
export interface FirstEventView {
  /** Page of the issue it belongs to. */
  readonly href: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What the page and its stream tell about the first event that a project has. */
export function firstEventView(
  projectId: string,
  event: { readonly issueId: string; readonly timestamp: Date },
): FirstEventView {
  return {
    href: `${sectionPath(projectId, "issues")}/${encodeURIComponent(event.issueId)}`,
    at: event.timestamp.toISOString(),
  };
}

/** Reads what the stream sent, or null when it is something else. */
export function parseFirstEvent(json: string): FirstEventView | null {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return null;
  if (!("href" in value) || !("at" in value)) return null;
  const { href, at } = value;
  return typeof href === "string" && typeof at === "string" ? { href, at } : null;
}
