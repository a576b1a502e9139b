/** What is known to be stored of one issue. */
export interface KnownOfIssue {
  /** By tag, by value: the newest day (`YYYY-MM-DD`) on which it was written. */
  readonly tags: Map<string, Map<string, string>>;
  readonly users: Set<string>;
}

/**
 * A bounded memory of issues. It holds two generations: when the young one has `capacity` entries it becomes
 * the old one, and the old one goes. An issue that is looked up is young again.
 */
export class IssueMemory {
  readonly #capacity: number;
  #young = new Map<string, KnownOfIssue>();
  #old = new Map<string, KnownOfIssue>();
  #entries = 0;

  /** @param capacity tag values and users of one generation */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  of(projectId: string, issueId: string): KnownOfIssue {
    const key = `${projectId}/${issueId}`;
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    const known = old ?? { tags: new Map(), users: new Set() };
    this.#old.delete(key);
    this.#young.set(key, known);
    this.#grow(1 + sizeOf(known));
    return known;
  }

  rememberTag(known: KnownOfIssue, key: string, value: string, day: string): void {
    const days = known.tags.get(key) ?? new Map<string, string>();
    known.tags.set(key, days);
    if (!days.has(value)) this.#grow(1);
    days.set(value, day);
  }

  rememberUser(known: KnownOfIssue, user: string): void {
    if (!known.users.has(user)) this.#grow(1);
    known.users.add(user);
  }

  #grow(entries: number): void {
    this.#entries += entries;
    if (this.#entries <= this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#entries = 0;
  }
}

function sizeOf({ tags, users }: KnownOfIssue): number {
  let size = users.size;
  for (const days of tags.values()) size += days.size;
  return size;
}
