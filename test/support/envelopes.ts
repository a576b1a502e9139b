/** Hand-made envelopes for tests about transport and durability, where the event itself matters little. */

export interface MadeEvent {
  readonly eventId: string;
  readonly body: string;
}

/** An envelope with one error event of a fresh id. @param fields of the event, beside or instead of the usual ones */
export function errorEnvelope(
  message = "Out of paper",
  fields: Readonly<Record<string, unknown>> = {},
): MadeEvent {
  const eventId = crypto.randomUUID().replaceAll("-", "");
  const event = {
    event_id: eventId,
    timestamp: Date.now() / 1000,
    platform: "node",
    level: "error",
    exception: {
      values: [{
        type: "PrinterError",
        value: message,
        stacktrace: {
          frames: [{ function: "print", filename: "printer.js", lineno: 12, in_app: true }],
        },
      }],
    },
    ...fields,
  };
  const lines = [
    { event_id: eventId, sent_at: new Date().toISOString() },
    { type: "event" },
    event,
  ];
  return { eventId, body: lines.map((line) => JSON.stringify(line)).join("\n") };
}

/** Where an SDK with this DSN posts its envelopes, its key in the query as the JavaScript SDKs do. */
export function envelopeUrl(dsn: string): string {
  const { protocol, host, pathname, username } = new URL(dsn);
  const segments = pathname.split("/");
  const projectId = segments.pop();
  return `${protocol}//${host}${
    segments.join("/")
  }/api/${projectId}/envelope/?sentry_version=7&sentry_key=${username}`;
}

/** Posts one envelope and reports the status. */
export async function post(url: string, body: BodyInit, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, { method: "POST", body, ...init });
  await response.body?.cancel();
  return response.status;
}
