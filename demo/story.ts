/** One way in which the demo shop fails: how often, since when, and what its SDK would send. */
export interface Story {
  /** Occurrences over the whole two weeks. */
  readonly times: number;
  /** Days ago that it began; spread evenly from then to `until`. */
  readonly since: number;
  /** Days ago that it ended; 0 = still going on. */
  readonly until: number;
  readonly releases: readonly [string, ...string[]];
  readonly environments: readonly [string, ...string[]];
  /** The part of the event that is this story's own. */
  event(random: Random, at: Date): Record<string, unknown>;
}

/** The envelope payload that the story's SDK would send at `at`. */
export function tell(story: Story, random: Random, at: Date): Record<string, unknown> {
  const person = random.integer(1, 400);
  return {
    event_id: random.hex(32),
    timestamp: at.getTime() / 1000,
    level: "error",
    release: releaseAt(story, at),
    environment: random.next() < 0.8 ? story.environments[0] : random.pick(story.environments),
    user: { id: String(person), email: `person${person}@example.com` },
    contexts: { trace: { trace_id: random.hex(32), span_id: random.hex(16), op: "http.server" } },
    ...story.event(random, at),
  };
}

/** Releases follow one another over the two weeks. */
function releaseAt({ releases }: Story, at: Date): string {
  const DAYS = 14;
  const age = Math.min((Date.now() - at.getTime()) / 86_400_000, DAYS - 0.001);
  const index = Math.floor(((DAYS - age) / DAYS) * releases.length);
  return releases[Math.min(index, releases.length - 1)] ?? releases[0];
}

/** Source lines around a frame's line, as SDKs cut them out. */
export function source(
  before: string[],
  line: string,
  after: string[],
): { pre_context: string[]; context_line: string; post_context: string[] } {
  return { pre_context: before, context_line: line, post_context: after };
}

/** Chance that repeats: the same seed fills the same demo. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Whether something happens that does so in `share` of all cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /**
   * A positive number as durations are: half of them below `median`, a few far above it.
   *
   * @param spread 0 is none; with 0.5 one in twenty is more than 2.3 times the median
   */
  around(median: number, spread = 0.35): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }

  /** One of `items`, each as likely as the others. Throws a `RangeError` when there is none. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError("Cannot pick from an empty list");
    return item;
  }

  /** `length` lower-case hex digits. */
  hex(length: number): string {
    let digits = "";
    while (digits.length < length) digits += Math.floor(this.next() * 16).toString(16);
    return digits;
  }
}
