/** Events as APIs of other services answer them. */
import { AT } from "./transferred.ts";

/** @param seconds since 1970 */
export const ISO = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** As `GET /api/0/projects/…/events/?full=true` of Sentry answers; GlitchTip has the same shape. */
export function sentryEvent(id: string, groupID: string, type: string, at: number) {
  return {
    id,
    eventID: id,
    groupID,
    projectID: "1",
    platform: "python",
    title: `${type}: boom`,
    message: "",
    culprit: "shop.views in pay",
    dateCreated: ISO(at),
    dateReceived: ISO(at + 2),
    type: "error",
    location: "shop/views.py",
    size: 4_000,
    tags: [
      { key: "environment", value: "staging" },
      { key: "level", value: "fatal" },
      { key: "release", value: "shop@3" },
      { key: "flavour", value: "plum" },
    ],
    user: {
      id: "9",
      email: "bo@example.com",
      username: null,
      ip_address: null,
      name: null,
      data: {},
    },
    context: { cart: 3 },
    contexts: { runtime: { name: "CPython", version: "3.12", type: "runtime" } },
    packages: { django: "5.1" },
    sdk: { name: "sentry.python", version: "2.0" },
    release: { version: "shop@3", shortVersion: "3" },
    entries: [{
      type: "exception",
      data: {
        values: [{
          type,
          value: "boom",
          module: "shop",
          threadId: null,
          mechanism: { type: "django", handled: false },
          stacktrace: {
            frames: [{
              filename: "shop/views.py",
              absPath: "/srv/shop/views.py",
              module: "shop.views",
              function: type === "ValueError" ? "pay" : "ship",
              lineNo: 12,
              colNo: null,
              inApp: true,
              context: [[11, "def pay():"], [12, "    raise error"], [13, ""]],
              vars: { order: "7" },
            }],
            framesOmitted: null,
            registers: null,
          },
          rawStacktrace: null,
        }],
      },
    }, {
      type: "breadcrumbs",
      data: {
        values: [{
          timestamp: ISO(at - 1),
          category: "query",
          message: "select 1",
          type: "default",
          level: "info",
          data: null,
          event_id: null,
        }],
      },
    }, {
      type: "request",
      data: {
        method: "POST",
        url: "https://shop.example/pay",
        query: [["a", "1"]],
        fragment: "",
        headers: [["Accept", "*/*"]],
        cookies: [],
        env: null,
        data: { x: 1 },
        inferredContentType: "application/json",
      },
    }],
  };
}

/** As `GET /api/canonical/0/events/<id>/` of Bugsink answers. @param data as an SDK has sent it */
export function bugsinkEvent(id: string, issue: string, data: unknown) {
  return {
    id: crypto.randomUUID(),
    event_id: id,
    issue,
    ingested_at: ISO(AT + 1),
    digested_at: ISO(AT + 1),
    timestamp: ISO(AT),
    data,
  };
}
