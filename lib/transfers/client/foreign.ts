/** All issues of a project with their events, from the APIs of Sentry, GlitchTip and Bugsink, as lines that an import takes. */
import { type Api, ask, pagesOf } from "./api.ts";

/** Whose API it is. */
export const FOREIGN = ["sentry", "glitchtip", "bugsink"] as const;
export type Foreign = (typeof FOREIGN)[number];

interface Named {
  readonly id: string;
}

/**
 * Events, and behind those of an issue the issue.
 *
 * @param project `<organization>/<project>` of Sentry and GlitchTip, the number of one of Bugsink
 */
export async function* foreignItems(
  api: Api,
  from: Foreign,
  project: string,
): AsyncGenerator<unknown> {
  const places = from === "bugsink" ? bugsink(project) : sentry(project);
  for await (const issues of pagesOf(api, places.issues)) {
    for (const issue of issues) {
      const { id } = issue as Named;
      for await (const events of pagesOf(api, places.events(encodeURIComponent(id)))) {
        for (const event of events) {
          if (places.isWhole(event)) yield event;
          else {
            const { id: one } = event as Named;
            yield await (await ask(api, places.event(encodeURIComponent(one)))).json();
          }
        }
      }
      yield issue;
    }
  }
}

interface Places {
  readonly issues: string;
  readonly events: (issue: string) => string;
  readonly event: (id: string) => string;
  /** Whether a list has all of an event. */
  readonly isWhole: (event: unknown) => boolean;
}

function sentry(project: string): Places {
  const base = `/api/0/projects/${project}`;
  return {
    // Without an empty query, a list has those that are not resolved alone.
    issues: `${base}/issues/?query=&statsPeriod=`,
    events: (issue) => `/api/0/issues/${issue}/events/?full=true`,
    event: (id) => `${base}/events/${id}/`,
    isWhole: (event) => Array.isArray((event as { entries?: unknown }).entries),
  };
}

function bugsink(project: string): Places {
  const base = "/api/canonical/0";
  return {
    issues: `${base}/issues/?project=${encodeURIComponent(project)}`,
    events: (issue) => `${base}/events/?issue=${issue}`,
    event: (id) => `${base}/events/${id}/`,
    isWhole: () => false,
  };
}
