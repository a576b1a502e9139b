/** How the time of an evaluation is shared among projects: one with slow alerts holds no other up. */
export interface ShareLimits {
  /** After so much time of its alerts, the rest of a project's wait until those of others are judged. */
  readonly projectMs: number;
  /** Later than this, what waits is left to the next evaluation. */
  readonly allMs: number;
}

const LIMITS: ShareLimits = { projectMs: 10_000, allMs: 30_000 };

/** The shares of one evaluation, which begins with the making. */
export class ProjectShares {
  readonly #began = performance.now();
  readonly #spentMs = new Map<string, number>();

  constructor(private readonly limits: ShareLimits = LIMITS) {}

  /** Whether a project has had its share. */
  isUsedUp(projectId: string): boolean {
    return (this.#spentMs.get(projectId) ?? 0) > this.limits.projectMs;
  }

  /** Whether all of the time is over. */
  isOver(): boolean {
    return performance.now() - this.#began > this.limits.allMs;
  }

  /** Does a project's work at the expense of its share. */
  async spend<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      const spent = performance.now() - began;
      this.#spentMs.set(projectId, (this.#spentMs.get(projectId) ?? 0) + spent);
    }
  }
}
