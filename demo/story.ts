import type { Random } from "./random.ts";

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
