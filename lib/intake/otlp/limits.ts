/** How much of an OTLP request is kept, and how much is taken at all. Lengths count UTF-16 units. */
export const LIMITS = {
  /** Of a span, an event, a link, a scope, a resource, a log record. */
  attributes: 128,
  /** Elements of one list or map that is a value. */
  elements: 128,
  /** Levels of lists and maps within a value; deeper ones become {@linkcode TOO_DEEP}. */
  depth: 64,
  events: 128,
  links: 128,
  /** Names of spans, events, attributes and scopes. */
  name: 1_024,
  /** Text values, and bodies of logs. */
  text: 16_384,
  stackText: 65_536,
  traceState: 512,
  /** Spans of one request. */
  spans: 100_000,
  /** Log records of one request. */
  logs: 200_000,
  /** Data points of one request. */
  points: 200_000,
  /** Messages of any kind in one request: a real one of 12 MB has a quarter of a million. */
  messages: 500_000,
  /** Brackets in the JSON of one request, which has two for each attribute and each value. */
  brackets: 1_500_000,
} as const;

/** What stands where a value was nested too deep. */
export const TOO_DEEP = "[too deep]";

/** The attribute that may be longer than the others. */
const STACK = "exception.stacktrace";

/** How long the text value of an attribute may be. */
export function textLimit(attribute: string): number {
  return attribute === STACK ? LIMITS.stackText : LIMITS.text;
}
