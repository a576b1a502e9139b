import type { Transaction } from "../../store/database.ts";

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

const HOUR_MS = 3_600_000;

/** Requests added up by key and hour. */
export class KeyTally {
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
      insert into key_hours as known (project_id, key_id, hour, accepted, refused, last_used_at)
      select * from unnest(
        ${counts.map(({ projectId }) => projectId)}::bigint[],
        ${counts.map(({ keyId }) => keyId)}::text[],
        ${counts.map(({ hour }) => hour)}::text[]::timestamptz[],
        ${counts.map(({ accepted }) => accepted)}::bigint[],
        ${counts.map(({ refused }) => refused)}::bigint[],
        ${counts.map(({ lastUsedAt }) => new Date(lastUsedAt).toISOString())}::text[]::timestamptz[]
      ) as incoming (project_id, key_id, hour, accepted, refused, last_used_at)
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
