/**
 * What this isolate did and how long it took: of each kind the slowest pieces since somebody last took them. Kept only
 * while somebody wants them, since most installations send their traces nowhere.
 */

/** As traces tell kinds of spans. */
export type WorkKind = "request" | "commit" | "clock";

/** One piece of work that is over. */
export interface Work {
  readonly kind: WorkKind;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly isFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Of a kind between two looks: enough to see what is slow, and nothing that costs. */
const MOST = 10;

let slowest: Map<WorkKind, Work[]> | null = null;
/** What stores our own telemetry is not told, or each look would make something for the next. */
let ownProject: string | null = null;

/** Begins or ends the keeping. @param projectId to which this instance sends about itself, when it is one of its own */
export function keepWork(isWanted: boolean, projectId: string | null): void {
  ownProject = projectId;
  slowest = isWanted ? slowest ?? new Map() : null;
}

/** Whether a project is where this instance sends about itself. */
export function isOwnProject(projectId: string): boolean {
  return projectId === ownProject;
}

/** Whether somebody wants it: what costs anything to tell need not be found out otherwise. */
export function isWorkKept(): boolean {
  return slowest !== null;
}

/**
 * Notes a piece of work that has just ended.
 *
 * @param began on the clock of `performance.now()`
 */
export function noteWork(
  kind: WorkKind,
  name: string,
  began: number,
  { isFailed = false, attributes = {} }: Partial<Pick<Work, "isFailed" | "attributes">> = {},
): void {
  if (slowest === null) return;
  const durationMs = performance.now() - began;
  const kept = slowest.get(kind) ?? [];
  if (kept.length === MOST && (kept[MOST - 1]?.durationMs ?? 0) >= durationMs) return;
  const startedAt = Date.now() - durationMs;
  kept.push({ kind, name, startedAt, durationMs, isFailed, attributes });
  kept.sort((a, b) => b.durationMs - a.durationMs);
  slowest.set(kind, kept.slice(0, MOST));
}

/** Takes what was kept. */
export function takeWork(): Work[] {
  const taken = [...slowest?.values() ?? []].flat();
  slowest?.clear();
  return taken;
}
