import { createHash } from "node:crypto";
import type { ErrorEvent, Span } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { toErrorEvent } from "../sentry/error_event.ts";
import type { Raw } from "../fields.ts";
import type { OutcomeTally } from "../outcome_tally.ts";
import { rawEvent } from "./raw_event.ts";
import type { Scene } from "./scene.ts";
import type { SentException } from "./sent_exception.ts";
import { throwPlace } from "./throw_place.ts";

/** More of one trace tell the same story again. */
const MAX_PER_TRACE = 20;
/** Each costs a tenth of a millisecond, and more when its stack is long. */
const MAX_PER_REQUEST = 500;
/** Characters of stacks that are read in one request. */
const MAX_STACK_TEXT = 2_000_000;

/** What is known of a span whose exceptions are added. */
export interface SpanScene extends Pick<Scene, "sender" | "resource" | "traceId" | "transaction"> {
  readonly span: Span;
}

/**
 * Makes the errors of a request out of the exceptions in it: each once, though a span event, the span's attributes and
 * a log may tell of the same, and no more than a page could show.
 */
export class ErrorCollector {
  readonly #records: ErrorEvent[] = [];
  readonly #seen = new Set<string>();
  readonly #perTrace = new Map<string, number>();
  #stackText = 0;

  constructor(private readonly context: DecodeContext, private readonly tally: OutcomeTally) {}

  /** What is to be stored. */
  get records(): readonly ErrorEvent[] {
    return this.#records;
  }

  /** Adds the exceptions of one span. */
  addOfSpan(exceptions: readonly SentException[], { span, ...known }: SpanScene): void {
    const scene: Scene = {
      ...known,
      span,
      spanId: span.spanId,
      level: "error",
      logger: "",
      message: "",
    };
    for (const exception of exceptions) this.add(exception, scene);
  }

  /** Adds an exception, or counts why it is none of the errors. */
  add(exception: SentException, scene: Scene): void {
    const eventId = errorId(exception, scene);
    if (this.#seen.has(eventId)) return;
    this.#seen.add(eventId);
    if (!this.#hasRoom(scene.traceId, exception.stack.length)) {
      this.tally.add("error", "too_large", "too_many_exceptions");
      return;
    }
    const raw = rawEvent(exception, scene);
    const result = toErrorEvent(raw, { ...this.#errorContext(raw), eventId });
    if ("dropped" in result) {
      const { category, kind, reason, quantity } = result.dropped;
      this.tally.add(category as "error", kind, reason, quantity);
    } else this.#records.push(result);
  }

  #hasRoom(traceId: string, stackText: number): boolean {
    const inTrace = this.#perTrace.get(traceId) ?? 0;
    this.#perTrace.set(traceId, inTrace + 1);
    this.#stackText += stackText;
    // Logs outside of traces are of no one story.
    return (traceId === "" || inTrace < MAX_PER_TRACE) &&
      this.#records.length < MAX_PER_REQUEST && this.#stackText <= MAX_STACK_TEXT;
  }

  #errorContext(raw: Raw) {
    const { policy, receivedAt, retentionDays } = this.context;
    return {
      receivedAt,
      sentAt: null,
      retentionDays,
      // A server or a collector sends, and not the one whom the error happened to.
      clientAddress: null,
      rawBytes: JSON.stringify(raw).length,
      filter: (event: Parameters<typeof policy.filterEvent>[0]) =>
        policy.filterEvent(event, this.context),
      scrub: policy.scrubEvent,
      fingerprint: policy.fingerprintOf,
    };
  }
}

/**
 * The same for one exception whatever tells of it and how often: libraries record it on every span that it passes, and a
 * logger tells of it once more, each from another depth, in requests that come in any order. So of a stack only the place
 * counts where it was thrown. Outside of a trace, the time tells two apart.
 *
 * @returns 32 lower-case hex digits
 */
function errorId({ type, message, stack, time }: SentException, scene: Scene): string {
  const { traceId, sender } = scene;
  const place = traceId !== ""
    ? [traceId, sender.service, throwPlace(stack)]
    : [sender.service, sender.server, String(time), stack];
  return createHash("md5").update([...place, type, message].join("\0")).digest("hex");
}
