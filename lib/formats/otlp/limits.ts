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
  /**
   * Spans of one request: twice what a Collector puts into one unless it is told. Reading this many takes a quarter of a
   * second, in which nobody else is answered; so do the numbers below.
   */
  spans: 16_384,
  /** Log records of one request. */
  logs: 40_000,
  /** Data points of one request. */
  points: 40_000,
  /** Messages of any kind in one request: a real one of 12 MB has a quarter of a million. Events and links count twice. */
  messages: 400_000,
  /** Resources and libraries of one request together: each takes half a kilobyte. */
  groups: 100_000,
  /** Exemplars of one point, or series, that are looked at. */
  exemplars: 100,
  /** Numbers of one list, such as buckets side by side: longer ones are not read to their end. */
  numbers: 10_000,
  /** Numbers in lists of one request that take a byte each. */
  requestNumbers: 2_000_000,
  /** Values and names in the JSON of one request, which has seven for each attribute. */
  jsonParts: 750_000,
} as const;

/** What stands where a value was nested too deep. */
export const TOO_DEEP = "[too deep]";

/** The attribute that may be longer than the others. */
const STACK = "exception.stacktrace";

/** How long the text value of an attribute may be. */
export function textLimit(attribute: string): number {
  return attribute === STACK ? LIMITS.stackText : LIMITS.text;
}
