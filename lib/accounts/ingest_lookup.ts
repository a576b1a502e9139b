import { type IngestKey, isPublicKey } from "./keys.ts";
import { keyOf } from "./kv.ts";
import { changesOf } from "./kv_changes.ts";
import type { Organization } from "./organizations.ts";
import { type Project, underOrganization } from "./projects.ts";
import { quotasOf, type StoredQuota } from "./quotas.ts";

export interface Ingest {
  /** May be disabled: the caller answers 401 unless `key.isActive`. */
  readonly key: IngestKey;
  /** As its organization lets it be. */
  readonly project: Project;
  /** Requests a month of the project's organization; 0 is unlimited. */
  readonly monthlyQuota: number;
  /** Bytes a month, as bodies are sent; absent: unlimited. */
  readonly monthlyBytes?: number;
}

/** What is read along with a key, because it was found to belong to it before. */
interface Belonging {
  readonly projectId: string;
  readonly organizationId: string;
}

/** Some hundred bytes each; beyond that the oldest are forgotten, at the price of a second read. */
const MAX_REMEMBERED = 10_000;
/** A key, its project, its organization and that one's quota each, of the ten entries that Deno KV reads in one call. */
const KEYS_A_READ = 2;
const ENTRIES_A_KEY = 4;
/**
 * What was read is read anew after so long, whatever the revision says: an instance of an earlier version, which knows no
 * revision, may be running beside this one while it is replaced.
 */
const MAX_AGE_MS = 5_000;
/** A read that takes longer is stuck on a store that is away: nobody joins behind it any more. */
const STUCK_MS = 1_000;
/** Requests wait so long for a round that is under way: a near store ends it, a distant one gets another round. */
const JOIN_MS = 5;
/**
 * Rounds begin so far apart: one question costs as much as a tenth of an event, and one for each request or two would be
 * what a busy intake does most. Requests that are further apart never wait.
 */
const APART_MS = 3;
/** Rounds that wait for a distant store together. */
const MAX_ROUNDS = 8;

type Asked = [publicKey: string, found: PromiseWithResolvers<Ingest | null>];

const lookups = new WeakMap<Deno.Kv, IngestLookup>();

/**
 * Finds a key, its project and its quota for one ingest request. After the request has come, the store is asked whether
 * any of them has changed, so that disabling, deleting and new settings hold from the next request on, on every instance.
 * Requests of one moment share that question, and nobody asks a KV that this process alone has and has not changed. Writes
 * nothing.
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

/** What a key led to, as of a revision: as long as the store has that one, it is what would be read. */
interface Known {
  readonly ingest: Ingest;
  readonly revision: string | null;
  readonly since: number;
}

/** The revision that a store was seen to have, and what {@linkcode changesOf} said before. */
interface Seen {
  readonly revision: string | null;
  readonly changes: number | null;
}

/**
 * Reads keys together: under load a store call for each request costs as much as the rest of the HTTP work. Whatever
 * changes what is read here notes it in the same commit (`changesIntake()`); so the store is mostly asked for one entry.
 */
class IngestLookup {
  #waiting = new Map<string, PromiseWithResolvers<Ingest | null>>();
  /** When each of the rounds that are under way began. */
  readonly #rounds = new Set<{ readonly since: number }>();
  /** When the last round began. */
  #begun = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;
  /**
   * Which project and organization each key was found to belong to. This is no cache of access: it only says which project to read
   * along with the key, and is believed only when the key that was just read says the same.
   */
  readonly #belongings = new Map<string, Belonging>();
  readonly #known = new Map<string, Known>();
  #seen: Seen | null = null;

  constructor(private readonly kv: Deno.Kv) {}

  find(publicKey: string): Promise<Ingest | null> {
    const known = this.#known.get(publicKey);
    if (known !== undefined && this.#isUnchanged(known)) return Promise.resolve(known.ingest);
    let found = this.#waiting.get(publicKey);
    if (found === undefined) {
      found = Promise.withResolvers();
      this.#waiting.set(publicKey, found);
    }
    this.#begin();
    return found.promise;
  }

  /** Whether the store would say the same, as far as this process knows of all that changes it. */
  #isUnchanged({ revision, since }: Known): boolean {
    const changes = changesOf(this.kv);
    return changes !== null && this.#seen?.changes === changes &&
      this.#seen.revision === revision && performance.now() - since < MAX_AGE_MS;
  }

  #begin(): void {
    if (this.#isDue) return;
    const wait = this.#waitMs();
    if (wait > 0) {
      this.#timer ??= setTimeout(() => this.#retry(), wait);
      return;
    }
    this.#isDue = true;
    // What comes in this very turn of the event loop is read together.
    queueMicrotask(() => {
      this.#isDue = false;
      this.#readAll();
    });
  }

  #retry(): void {
    this.#timer = undefined;
    if (this.#waiting.size > 0) this.#begin();
  }

  /** Until the next round may begin, as far as anybody knows; 0: now. */
  #waitMs(): number {
    const now = performance.now();
    const pause = this.#begun + APART_MS - now;
    if (this.#rounds.size === 0) return Math.max(0, pause);
    const ages = [...this.#rounds].map(({ since }) => now - since).filter((age) => age < STUCK_MS);
    const hasRoom = ages.length < MAX_ROUNDS && ages.every((age) => age >= JOIN_MS);
    return hasRoom ? Math.max(0, pause) : JOIN_MS;
  }

  async #readAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#begun = performance.now();
    const round = { since: now };
    this.#rounds.add(round);
    const asked = [...this.#waiting];
    this.#waiting = new Map();
    const isKnown = ([publicKey]: Asked) => this.#isRecent(publicKey, now);
    const known = asked.filter(isKnown);
    const others = known.length === asked.length ? [] : asked.filter((each) => !isKnown(each));
    await Promise.all([known.length === 0 ? null : this.#confirm(known), this.#readEach(others)]);
    this.#rounds.delete(round);
    if (this.#waiting.size > 0) this.#begin();
  }

  #isRecent(publicKey: string, now: number): boolean {
    const known = this.#known.get(publicKey);
    return known !== undefined && now - known.since < MAX_AGE_MS;
  }

  /** Answers with what is known where nothing has changed since, and reads the others anew. Never throws. */
  async #confirm(asked: Asked[]): Promise<void> {
    const changes = changesOf(this.kv);
    try {
      const { versionstamp } = await this.kv.get(keyOf.intakeRevision());
      this.#seen = { revision: versionstamp, changes };
      const changed = asked.filter(([publicKey, found]) => {
        const known = this.#known.get(publicKey);
        if (known === undefined || known.revision !== versionstamp) return true;
        found.resolve(known.ingest);
        return false;
      });
      await this.#readEach(changed);
    } catch (error) {
      for (const [, found] of asked) found.reject(error);
    }
  }

  async #readEach(asked: Asked[]): Promise<void> {
    const reads = [];
    for (let index = 0; index < asked.length; index += KEYS_A_READ) {
      reads.push(this.#read(asked.slice(index, index + KEYS_A_READ)));
    }
    await Promise.all(reads);
  }

  /** Never throws: each caller is told. */
  async #read(asked: Asked[]): Promise<void> {
    // As they are now: another read may learn where a key belongs before this one ends.
    const changes = changesOf(this.kv);
    const guesses = asked.map(([publicKey]) => this.#belongings.get(publicKey));
    try {
      // One read is of one moment: the revision is that of all that is read with it.
      const [revision, ...entries] = await this.kv.getMany([
        keyOf.intakeRevision(),
        ...asked.flatMap(([publicKey], index) => [
          keyOf.ingestKey(publicKey),
          keyOf.project(guesses[index]?.projectId ?? ""),
          keyOf.quota(guesses[index]?.organizationId ?? ""),
          keyOf.organization(guesses[index]?.organizationId ?? ""),
        ]),
      ]);
      const seen = { revision: revision?.versionstamp ?? null, changes };
      this.#seen = seen;
      await Promise.all(asked.map(async ([publicKey, found], index) => {
        const at = ENTRIES_A_KEY * index;
        const key = entries[at]?.value as IngestKey | null;
        const project = entries[at + 1]?.value as Project | null;
        const quota = entries[at + 2]?.value as StoredQuota | null;
        const organization = entries[at + 3]?.value as Organization | null;
        const isGuessed = key?.projectId === guesses[index]?.projectId;
        this.#known.delete(publicKey);
        if (key === null) found.resolve(null);
        else if (!isGuessed) found.resolve(await this.#readBelonging(key));
        else if (project === null) found.resolve(null);
        else {
          const ingest = {
            key,
            project: underOrganization(project, organization),
            ...monthlyOf(quota),
          };
          this.#know(publicKey, { ingest, revision: seen.revision });
          found.resolve(ingest);
        }
      }));
    } catch (error) {
      for (const [, found] of asked) found.reject(error);
    }
  }

  /** Reads what belongs to the key one after the other, and remembers where to look next time. */
  async #readBelonging(key: IngestKey): Promise<Ingest | null> {
    const { value: project } = await this.kv.get<Project>(keyOf.project(key.projectId));
    if (project === null) return null;
    const { organizationId } = project;
    const [organization, quota] = await this.kv.getMany<[Organization, StoredQuota]>([
      keyOf.organization(organizationId),
      keyOf.quota(organizationId),
    ]);
    // A project never changes its organization.
    this.#remember(key.publicKey, {
      projectId: project.id,
      organizationId: project.organizationId,
    });
    return {
      key,
      project: underOrganization(project, organization.value),
      ...monthlyOf(quota.value),
    };
  }

  #remember(publicKey: string, belonging: Belonging): void {
    makeRoom(this.#belongings);
    this.#belongings.set(publicKey, belonging);
  }

  #know(publicKey: string, known: Omit<Known, "since">): void {
    makeRoom(this.#known);
    this.#known.set(publicKey, { ...known, since: performance.now() });
  }
}

function monthlyOf(stored: StoredQuota | null): Pick<Ingest, "monthlyQuota" | "monthlyBytes"> {
  const { requests: monthlyQuota, bytes } = quotasOf(stored);
  return bytes === 0 ? { monthlyQuota } : { monthlyQuota, monthlyBytes: bytes };
}

/** Forgets the oldest of a full memory. */
function makeRoom(memory: Map<string, unknown>): void {
  const [oldest] = memory.keys();
  if (oldest !== undefined && memory.size >= MAX_REMEMBERED) memory.delete(oldest);
}
