import { type IngestKey, isPublicKey } from "./keys.ts";
import { keyOf } from "./kv_keys.ts";
import type { Project } from "./projects.ts";

export interface Ingest {
  /** May be disabled: the caller answers 401 unless `key.isActive`. */
  readonly key: IngestKey;
  readonly project: Project;
}

/** Some hundred bytes each; beyond that the oldest are forgotten, at the price of a second read. */
const MAX_REMEMBERED = 10_000;
/** A key and its project each, of the ten entries that Deno KV reads in one call. */
const KEYS_A_READ = 5;
/** A read that takes longer is stuck on a store that is away: nobody joins behind it any more. */
const STUCK_MS = 1_000;

const lookups = new WeakMap<Deno.Kv, IngestLookup>();

/**
 * Finds a key and its project for one ingest request. Both are read from the store after the request has come, so
 * that disabling, deleting and new settings hold from the next request on, on every instance. Requests that come
 * while a read is under way share the next one. Writes nothing.
 *
 * @param publicKey what the client sent, whatever it is
 * @returns null for unknown and deleted keys
 */
export function findIngest(kv: Deno.Kv, publicKey: string): Promise<Ingest | null> {
  if (!isPublicKey(publicKey)) return Promise.resolve(null);
  let lookup = lookups.get(kv);
  if (lookup === undefined) {
    lookup = new IngestLookup(kv);
    lookups.set(kv, lookup);
  }
  return lookup.find(publicKey);
}

/** Reads keys together: under load a store call for each request costs as much as the rest of the HTTP work. */
class IngestLookup {
  #waiting = new Map<string, PromiseWithResolvers<Ingest | null>>();
  #readingSince: number | null = null;
  /**
   * Which project each key was found to belong to. This is no cache of access: it only says which project to read
   * along with the key, and is believed only when the key that was just read says the same.
   */
  readonly #projectIds = new Map<string, string>();

  constructor(private readonly kv: Deno.Kv) {}

  find(publicKey: string): Promise<Ingest | null> {
    let found = this.#waiting.get(publicKey);
    if (found === undefined) {
      found = Promise.withResolvers();
      this.#waiting.set(publicKey, found);
    }
    const since = this.#readingSince;
    if (since === null || performance.now() - since > STUCK_MS) this.#readAll();
    return found.promise;
  }

  async #readAll(): Promise<void> {
    const started = this.#readingSince = performance.now();
    // What comes in this very turn of the event loop is read together.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const asked = [...this.#waiting];
      this.#waiting = new Map();
      const reads = [];
      for (let index = 0; index < asked.length; index += KEYS_A_READ) {
        reads.push(this.#read(asked.slice(index, index + KEYS_A_READ)));
      }
      await Promise.all(reads);
      // Stuck for a while, and somebody else reads on since.
      if (this.#readingSince !== started) return;
    }
    this.#readingSince = null;
  }

  /** Never throws: each caller is told. */
  async #read(asked: [publicKey: string, found: PromiseWithResolvers<Ingest | null>][]) {
    try {
      const entries = await this.kv.getMany(asked.flatMap(([publicKey]) => [
        keyOf.ingestKey(publicKey),
        keyOf.project(this.#projectIds.get(publicKey) ?? ""),
      ]));
      await Promise.all(asked.map(async ([publicKey, found], index) => {
        const key = entries[2 * index]?.value as IngestKey | null;
        const likely = entries[2 * index + 1]?.value as Project | null;
        found.resolve(key && await this.#withProject(publicKey, key, likely));
      }));
    } catch (error) {
      for (const [, found] of asked) found.reject(error);
    }
  }

  async #withProject(
    publicKey: string,
    key: IngestKey,
    likely: Project | null,
  ): Promise<Ingest | null> {
    if (key.projectId === this.#projectIds.get(publicKey)) {
      return likely && { key, project: likely };
    }
    this.#remember(publicKey, key.projectId);
    const { value: project } = await this.kv.get<Project>(keyOf.project(key.projectId));
    return project && { key, project };
  }

  #remember(publicKey: string, projectId: string): void {
    const [oldest] = this.#projectIds.keys();
    if (oldest !== undefined && this.#projectIds.size >= MAX_REMEMBERED) {
      this.#projectIds.delete(oldest);
    }
    this.#projectIds.set(publicKey, projectId);
  }
}
