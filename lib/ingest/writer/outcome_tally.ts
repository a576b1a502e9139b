import type { Transaction } from "../../store/database.ts";
import type { Outcome } from "../../records/mod.ts";

interface OutcomeCount {
  readonly projectId: string;
  /** ISO 8601, UTC. */
  readonly hour: string;
  readonly category: string;
  readonly kind: string;
  readonly reason: string;
  quantity: number;
}

const HOUR_MS = 3_600_000;
const MAX_REASON_LENGTH = 100;
/** Distinct reasons come from our code, so there are few; should one carry client text, memory stays bounded. */
const MAX_COUNTS = 10_000;

/** Outcomes added up by project, hour of receipt, category, kind and reason. */
export class OutcomeTally {
  readonly #counts = new Map<string, OutcomeCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  get counts(): readonly OutcomeCount[] {
    return [...this.#counts.values()];
  }

  /** How many outcomes were added, whatever they are. */
  get quantity(): number {
    return this.counts.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  add(projectId: string, { category, kind, reason, quantity }: Outcome, now = Date.now()): void {
    if (quantity <= 0) return;
    const hour = new Date(now - now % HOUR_MS).toISOString();
    this.#add({ projectId, hour, category, kind, reason: cleanReason(reason), quantity });
  }

  addAll(other: OutcomeTally): void {
    for (const count of other.counts) this.#add(count);
  }

  #add(count: OutcomeCount): void {
    const { projectId, hour, category, kind } = count;
    const isFull = this.#counts.size >= MAX_COUNTS;
    const reason = isFull ? "other" : count.reason;
    const key = `${projectId}/${hour}/${category}/${kind}/${reason}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.quantity += count.quantity;
    else this.#counts.set(key, { ...count, reason });
  }
}

function cleanReason(reason: string): string {
  return reason.replaceAll("\0", "").slice(0, MAX_REASON_LENGTH);
}

/** Appends the counts; who folds them adds them to those of their hours and days, see fold_outcomes.ts. */
export async function appendOutcomes(
  tx: Transaction,
  counts: readonly OutcomeCount[],
): Promise<void> {
  if (counts.length === 0) return;
  await tx`
    insert into outcome_journal (project_id, hour, category, kind, reason, quantity)
    select * from unnest(
      ${counts.map(({ projectId }) => projectId)}::bigint[],
      ${counts.map(({ hour }) => hour)}::text[]::timestamptz[],
      ${counts.map(({ category }) => category)}::text[],
      ${counts.map(({ kind }) => kind)}::text[],
      ${counts.map(({ reason }) => reason)}::text[],
      ${counts.map(({ quantity }) => quantity)}::bigint[]
    ) as incoming (project_id, hour, category, kind, reason, quantity)
  `;
}
