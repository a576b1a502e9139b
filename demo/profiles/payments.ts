/** Profiles of the payment service as Sentry's SDK for Python sends them: one for each transaction, beside it. */
import type { Envelope, Item } from "../envelope.ts";
import type { Trace } from "../traces/history.ts";
import type { Placed, Segment } from "../traces/placed.ts";
import type { SentryPart } from "../traces/sentry_trace.ts";
import { type PythonFrame, stackOf } from "./payments_code.ts";

const RATE = 101;
const MAX_SECONDS = 12;
const SHARE = 0.7;
const THREAD = "139872300115648";

/** What the service sends of its part in a trace, with a profile unless it is one of those that are not sampled. */
export function withProfile(part: SentryPart, trace: Trace, segment: Segment): SentryPart {
  const { entry, root } = segment;
  const isProfiled = entry.service === "payments" && root.end - root.start < MAX_SECONDS &&
    trace.scene.random.chance(SHARE);
  return isProfiled ? { ...part, transaction: profiled(part.transaction, trace, segment) } : part;
}

function profiled(envelope: Envelope, trace: Trace, segment: Segment): Envelope {
  const profileId = crypto.randomUUID().replaceAll("-", "");
  const items = envelope.items.flatMap((item) =>
    item.header.type === "transaction"
      ? [profileItem(profileId, item, trace, segment), tied(item, profileId)]
      : [item]
  );
  return { ...envelope, items };
}

/** The transaction names its profile and the thread that it ran in. */
function tied(item: Item, profileId: string): Item {
  const payload = item.payload as Readonly<Record<string, unknown>>;
  const contexts = payload.contexts as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const data = contexts.trace?.data as Readonly<Record<string, unknown>> | undefined;
  const trace = {
    ...contexts.trace,
    data: { ...data, "thread.id": THREAD, "thread.name": "MainThread" },
  };
  const profile = { profile_id: profileId };
  return { ...item, payload: { ...payload, contexts: { ...contexts, trace, profile } } };
}

function profileItem(
  profileId: string,
  { payload }: Item,
  { traceId, scene }: Trace,
  { root, spans, entry }: Segment,
): Item {
  const transaction = payload as Readonly<Record<string, unknown>>;
  return {
    header: { type: "profile", content_type: "application/json" },
    payload: {
      event_id: profileId,
      version: "1",
      platform: "python",
      timestamp: new Date(root.start * 1000).toISOString(),
      release: transaction.release,
      environment: scene.environment,
      server_name: entry.server,
      tags: { service: entry.service },
      device: { architecture: "x86_64" },
      os: { name: "Linux", version: "6.12.0" },
      runtime: { name: "CPython", version: "3.13.2" },
      transaction: {
        id: transaction.event_id,
        name: root.work.name,
        trace_id: traceId,
        active_thread_id: THREAD,
      },
      profile: samplesOf(root, spans),
    },
  };
}

/** A look every hundredth of a second, at what runs while spans wait or work. */
function samplesOf(root: Placed, spans: readonly Placed[]) {
  const frames = new Numbered<PythonFrame>();
  const stacks = new Numbered<readonly number[]>();
  const samples: Record<string, unknown>[] = [];
  const count = Math.max(2, Math.ceil((root.end - root.start) * RATE));
  for (let index = 0; index < count; index++) {
    const time = root.start + index / RATE;
    const running = spans.filter(({ start, end }) => start <= time && time < end).at(-1) ?? root;
    const share = (time - running.start) / (running.end - running.start || 1);
    const stack = stackOf(running.work, share).map((frame) => frames.numberOf(frame));
    samples.push({
      // Python sends both numbers as texts.
      elapsed_since_start_ns: String(Math.round(index / RATE * 1e9)),
      thread_id: THREAD,
      stack_id: stacks.numberOf(stack.reverse()),
    });
  }
  return {
    frames: frames.all,
    stacks: stacks.all,
    samples,
    thread_metadata: { [THREAD]: { name: "MainThread" } },
  };
}

/** Numbers things from 0, equal ones alike. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(thing: T): number {
    const key = JSON.stringify(thing);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push(thing) - 1;
  }
}
