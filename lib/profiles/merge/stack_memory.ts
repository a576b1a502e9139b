import type { StackProfile } from "../trees/stack_profile.ts";

const MAX_BYTES = 64 * 1024 * 1024;
/** Without its texts. */
const BYTES_A_FRAME = 100;

/** Merged stacks that were used of late, by their key, as many as fit. */
export class StackMemory {
  /** The latest used last. */
  readonly #stacks = new Map<string, StackProfile>();
  #bytes = 0;

  /** @param maxBytes memory that all of them may take, nearly */
  constructor(private readonly maxBytes = MAX_BYTES) {}

  get(key: string): StackProfile | undefined {
    const stacks = this.#stacks.get(key);
    if (stacks === undefined) return undefined;
    this.#stacks.delete(key);
    this.#stacks.set(key, stacks);
    return stacks;
  }

  set(key: string, stacks: StackProfile): void {
    this.#forget(key);
    this.#stacks.set(key, stacks);
    this.#bytes += bytesOf(stacks);
    for (const [oldest] of this.#stacks) {
      if (this.#bytes <= this.maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const stacks = this.#stacks.get(key);
    if (stacks === undefined) return;
    this.#stacks.delete(key);
    this.#bytes -= bytesOf(stacks);
  }
}

function bytesOf({ parents, selfs, frames }: StackProfile): number {
  // Files and modules are mostly those of others too; counted once for each function they make up for what is not.
  const text = frames.reduce((sum, { name, file }) => sum + name.length + file.length, 0);
  return parents.length * (8 + 8 * selfs.length) + frames.length * BYTES_A_FRAME + 2 * text;
}
