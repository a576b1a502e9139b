import { HOUR_MS } from "../../core/time.ts";
import type { Outcome } from "../../records/mod.ts";
import type { Transaction } from "../../store/database.ts";
import { type Columns, newRows } from "../../store/incoming_rows.ts";

/** Counts that belong to no request that is stored: they travel along with any transaction. */
export class Tallies {
  readonly outcomes = new OutcomeTally();
  readonly keys = new KeyTally();

  get isEmpty(): boolean {
    return this.outcomes.isEmpty && this.keys.isEmpty;
  }

  addAll(other: Tallies): void {
    this.outcomes.addAll(other.outcomes);
    this.keys.addAll(other.keys);
  }

  /** Outcomes are appended, so that no writer waits for another; those of keys come by themselves, once a second. */
  async save(tx: Transaction): Promise<void> {
    // Sent one after the other without waiting: a round trip for both.
    await Promise.all([appendOutcomes(tx, this.outcomes.counts), this.keys.save(tx)]);
  }
}

interface OutcomeCount {
  readonly projectId: string;
  /** ISO 8601, UTC. */
  readonly hour: string;
  readonly category: string;
  readonly kind: string;
  readonly reason: string;
  quantity: number;
}

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

const OUTCOME_COLUMNS: Columns<OutcomeCount> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  hour: ["timestamptz", ({ hour }) => hour],
  category: ["text", ({ category }) => category],
  kind: ["text", ({ kind }) => kind],
  reason: ["text", ({ reason }) => reason],
  quantity: ["bigint", ({ quantity }) => quantity],
};

/** Appends the counts; who folds them adds them to those of their hours and days, see fold_outcomes.ts. */
async function appendOutcomes(
  tx: Transaction,
  counts: readonly OutcomeCount[],
): Promise<void> {
  if (counts.length === 0) return;
  await tx`
    insert into outcome_journal ${newRows(tx, counts, OUTCOME_COLUMNS)}
  `;
}

/** One request that came with a key. */
export interface KeyUse {
  readonly projectId: string;
  readonly keyId: string;
  readonly isAccepted: boolean;
  readonly at: Date;
}

interface KeyCount {
  readonly projectId: string;
  readonly keyId: string;
  readonly hour: string;
  accepted: number;
  refused: number;
  lastUsedAt: number;
}

const KEY_HOUR_COLUMNS: Columns<KeyCount> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  key_id: ["text", ({ keyId }) => keyId],
  hour: ["timestamptz", ({ hour }) => hour],
  accepted: ["bigint", ({ accepted }) => accepted],
  refused: ["bigint", ({ refused }) => refused],
  last_used_at: ["timestamptz", ({ lastUsedAt }) => new Date(lastUsedAt)],
};

/** Requests added up by key and hour. */
class KeyTally {
  readonly #counts = new Map<string, KeyCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add({ projectId, keyId, isAccepted, at }: KeyUse): void {
    const time = at.getTime();
    const hour = new Date(time - time % HOUR_MS).toISOString();
    this.#add({
      projectId,
      keyId,
      hour,
      accepted: isAccepted ? 1 : 0,
      refused: isAccepted ? 0 : 1,
      lastUsedAt: time,
    });
  }

  addAll(other: KeyTally): void {
    for (const count of other.#counts.values()) this.#add(count);
  }

  /** Adds the counts to those of their hours. */
  async save(tx: Transaction): Promise<void> {
    const counts = [...this.#counts.values()];
    if (counts.length === 0) return;
    await tx`
      insert into key_hours as known ${newRows(tx, counts, KEY_HOUR_COLUMNS)}
      order by project_id, key_id collate "C", hour
      on conflict (project_id, key_id, hour) do update set
        accepted = known.accepted + excluded.accepted,
        refused = known.refused + excluded.refused,
        last_used_at = greatest(known.last_used_at, excluded.last_used_at)
    `;
  }

  #add(count: KeyCount): void {
    const key = `${count.projectId}/${count.keyId}/${count.hour}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, { ...count });
      return;
    }
    known.accepted += count.accepted;
    known.refused += count.refused;
    known.lastUsedAt = Math.max(known.lastUsedAt, count.lastUsedAt);
  }
}
