import type { ObjectStore } from "../../store/objects/store.ts";
import { Turns } from "../../core/turns.ts";
import type { Sql } from "../../store/database.ts";

/** Where profiles are read from. */
export interface ProfileStores {
  readonly sql: Sql;
  readonly objects: Pick<ObjectStore, "get" | "put">;
}

/** How much one merge may do. */
export interface MergeLimits {
  /** Profiles in it; of more, an even share is taken. */
  readonly maxProfiles?: number | undefined;
  /** Milliseconds after which no more profiles are read. */
  readonly budgetMs?: number | undefined;
  /** Nodes of a tree, nearly; stacks end where there are more. */
  readonly maxNodes?: number | undefined;
}

const MAX_PROFILES = 5_000;
const BUDGET_MS = 20_000;

/** One merge at work: what it may use, and what came of it so far. */
export class MergeWork {
  readonly maxProfiles: number;
  readonly maxNodes: number | undefined;
  /** Profiles that are in it. */
  profiles = 0;
  /** What they cover, added up. */
  durationNanos = 0n;
  /** Profiles that are not: beyond the limits, gone or damaged. */
  left = 0;
  /** Stacks that are in it without their innermost frames. */
  cut = 0;
  readonly #deadline: number;
  readonly #turns = new Turns();

  constructor(
    readonly stores: ProfileStores,
    readonly stopping: AbortSignal | undefined,
    { maxProfiles = MAX_PROFILES, budgetMs = BUDGET_MS, maxNodes }: MergeLimits = {},
  ) {
    this.maxProfiles = maxProfiles;
    this.maxNodes = maxNodes;
    this.#deadline = performance.now() + budgetMs;
  }

  /** No more profiles should be added to a tree. */
  isOver({ isFull }: { readonly isFull: boolean }): boolean {
    return isFull || performance.now() > this.#deadline;
  }

  /**
   * Lets other requests have their turn, if this one had its own.
   *
   * @throws {DOMException} AbortError when nobody waits for the work any longer
   */
  async breathe(): Promise<void> {
    this.stopping?.throwIfAborted();
    await this.#turns.breathe();
    this.stopping?.throwIfAborted();
  }
}
