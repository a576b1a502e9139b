/** Addresses of a project's issues and events. */

/** `/projects/7/issues` */
export function issuesPath(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/issues`;
}

/** `/projects/7/issues/12`: the issue with its newest event. */
export function issuePath(projectId: string, issueId: string): string {
  return `${issuesPath(projectId)}/${encodeURIComponent(issueId)}`;
}

/** `/projects/7/issues/12/events`: all events of the issue. */
export function eventsPath(projectId: string, issueId: string): string {
  return `${issuePath(projectId, issueId)}/events`;
}

/** The issue with one of its events; `latest` and `oldest` work as ids too. */
export function eventPath(projectId: string, issueId: string, eventId: string): string {
  return `${eventsPath(projectId, issueId)}/${encodeURIComponent(eventId)}`;
}

/** The stored event as it is. */
export function eventJsonPath(projectId: string, issueId: string, eventId: string): string {
  return `${eventPath(projectId, issueId, eventId)}/json`;
}
