/** A bounded memory whose entries hold for some time; the oldest are forgotten first. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();

  /** @param capacity entries */
  constructor(private readonly capacity: number) {}

  /** Undefined when it was never set, or no longer holds. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until > performance.now()) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: V, holdsMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: performance.now() + holdsMs });
    if (this.#entries.size <= this.capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  deleteStarting(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#entries.delete(key);
  }
}
