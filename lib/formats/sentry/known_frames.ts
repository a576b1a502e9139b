import type { Frame } from "./normalized_event.ts";

/** Frames of a stack that came before: normalised, without secrets, never changed, and shared by all events that have it. */
export interface KnownFrames {
  readonly frames: readonly Frame[];
  /** Them as JSON. */
  readonly json: string;
  /** What was told of them before, by the question. */
  readonly answers: Map<string, unknown>;
}

const known = new WeakMap<readonly Frame[], KnownFrames>();

/** Makes frames known. From here on nobody may change them. */
export function makeKnown(frames: readonly Frame[], json: string): KnownFrames {
  const made = { frames: frozen(frames), json, answers: new Map() };
  known.set(frames, made);
  return made;
}

/** What is known of frames; undefined for those of one event. */
export function knownFrames(frames: unknown): KnownFrames | undefined {
  return known.get(frames as readonly Frame[]);
}

/**
 * The answer to a question about a stack, which for known frames is thought of once.
 *
 * @param question names the question, with all that it depends on beside the frames
 */
export function askedOnce<T>(frames: unknown, question: string, answer: () => T): T {
  const answers = known.get(frames as readonly Frame[])?.answers;
  if (answers === undefined) return answer();
  const before = answers.get(question);
  if (before !== undefined || answers.has(question)) return before as T;
  const made = answer();
  answers.set(question, made);
  return made;
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const child of Object.values(value)) frozen(child);
  return Object.freeze(value);
}
