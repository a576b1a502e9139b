/**
 * Requests that trying again does not store wait here, in a folder of the object store, until somebody has mended what
 * refuses them. The names of the objects tell all that is shown of them, so that nobody has to read them for it.
 */
import type { Logger } from "../core/log.ts";
import type { ListedObject, ObjectStore } from "../store/objects/store.ts";
import {
  decodeRequests,
  encodeRequest,
  type ObjectGroup,
  type SpooledRequest,
  spoolKeyOf,
  SpoolQueue,
  timeDigits,
} from "./spool_objects.ts";
import { placeOf } from "./writer/suspects.ts";

const ASIDE_PREFIX = "set_aside/";
/** Of a request that cannot be read. */
export const UNREADABLE = "unreadable";
/** Of an error of Watchpost, which has no SQLSTATE. */
const OWN_ERROR = "error";

/** Requests of one project that the same refuses. */
export interface AsideGroup {
  readonly projectId: string;
  /** SQLSTATE, `error` or `unreadable`. */
  readonly code: string;
  readonly requests: number;
  readonly bytes: number;
  /** When the first of them came. */
  readonly since: Date;
  /** Its objects, the oldest first. */
  readonly objects: readonly AsideObject[];
}

export interface AsideState {
  readonly requests: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly since: Date | null;
  /** The largest first. */
  readonly groups: readonly AsideGroup[];
}

/** Requests of one project that were set aside together. */
export interface AsideObject {
  readonly name: string;
  readonly projectId: string;
  readonly code: string;
  readonly requests: number;
  readonly bytes: number;
  readonly since: Date;
  /** Of Watchpost, which tried it last. */
  readonly version: string;
}

/** Which of them: all, those of a project by a code, or one object by its name. */
export interface AsideChoice {
  readonly projectId?: string;
  readonly code?: string;
  readonly name?: string;
}

const KEYS = ["projectId", "code", "name"] as const;

/** A request that is deleted without having been stored. */
export type AsideLoss = Pick<SpooledRequest, "projectId" | "protocol">;

/** No more may be set aside: the caller asks its client to come again. */
export class AsideFull extends Error {
  override name = "AsideFull";
}

interface AsideOptions {
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly maxBytes: number;
  /** Of this process, for others that have another one. */
  readonly version: string;
}

/** Other processes and isolates fill the same folder: their share is counted again this often. */
const RECOUNT_MS = 5_000;
const TELL_EVERY_MS = 60_000;

/** The folder of requests that are set aside. */
export class SetAside {
  readonly #queue: SpoolQueue;
  #bytes = 0;
  #countedAt = -Infinity;
  #counting: Promise<void> | null = null;
  #toldAt = -Infinity;
  #untold = 0;

  constructor(private readonly options: AsideOptions) {
    const { objects, version } = options;
    this.#queue = new SpoolQueue(objects, (group) => keyOf(group, version));
  }

  /**
   * Resolves when the request is durable.
   *
   * @param code SQLSTATE, `""` for an error of our own, or `unreadable`
   * @param error of ours that the log has not told of yet
   * @throws {AsideFull}, or what the object store throws
   */
  async add(request: SpooledRequest, code: string, error?: unknown): Promise<void> {
    const { maxBytes } = this.options;
    const bytes = encodeRequest(request);
    await this.#refresh();
    if (this.#bytes + bytes.length > maxBytes) {
      this.#tell(request, code, "no more requests can be set aside: they are refused", error);
      throw new AsideFull("No more requests can be set aside");
    }
    this.#bytes += bytes.length;
    const { projectId, receivedAt } = request;
    await this.#queue.add(bytes, receivedAt, `${projectId}_${code === "" ? OWN_ERROR : code}`);
    this.#tell(request, code, "requests are set aside: see the Instance page", error);
  }

  /** What is set aside, as it is now. @throws what the object store throws */
  async state(): Promise<AsideState> {
    const all = await this.find({});
    const groups = Map.groupBy(all, ({ projectId, code }) => `${projectId} ${code}`);
    const grouped = [...groups.values()].flatMap((objects) => {
      const [first] = objects;
      if (first === undefined) return [];
      const { projectId, code, since } = first;
      return [{ projectId, code, since, objects, ...sizeOf(objects) }];
    });
    return {
      ...sizeOf(all),
      maxBytes: this.options.maxBytes,
      since: all[0]?.since ?? null,
      groups: grouped.toSorted((a, b) => b.requests - a.requests || b.bytes - a.bytes),
    };
  }

  /**
   * Puts requests back into the spool, from which they are stored at their old place in time, or set aside once more.
   *
   * @returns how many
   * @throws what the object store throws: some may be in both then, which stores nothing twice
   */
  async tryAgain(choice: AsideChoice = {}): Promise<number> {
    return await this.#each(choice, async ({ name, since }) => {
      const { objects } = this.options;
      const bytes = await objects.get(ASIDE_PREFIX + name);
      if (bytes !== null) await objects.put(spoolKeyOf(since), bytes);
    });
  }

  /** Those that an older version has tried last go back into the spool. @returns how many */
  async tryOlder(): Promise<number> {
    let requests = 0;
    for (const { name, version } of await this.find({})) {
      if (isOlder(version, this.options.version)) requests += await this.tryAgain({ name });
    }
    return requests;
  }

  /** Those that a choice means, the oldest first. @throws what the object store throws */
  async find(choice: AsideChoice): Promise<AsideObject[]> {
    return (await Array.fromAsync(this.#list())).filter((object) =>
      KEYS.every((key) => choice[key] === undefined || choice[key] === object[key])
    );
  }

  /** Deletes requests for good. @returns what they were @throws what the object store throws */
  async delete(choice: AsideChoice): Promise<AsideLoss[]> {
    const lost: AsideLoss[] = [];
    await this.#each(choice, async ({ name }) => {
      const bytes = await this.options.objects.get(ASIDE_PREFIX + name);
      if (bytes !== null) lost.push(...decodeRequests(bytes));
    });
    return lost;
  }

  /** Deletes what is older than anybody keeps, and what belongs to nobody. @returns what it was */
  async expire(
    oldest: Date,
    isKept: (projectId: string) => Promise<boolean>,
  ): Promise<AsideLoss[]> {
    const lost: AsideLoss[] = [];
    for (const { name, since, projectId } of await this.find({})) {
      if (since >= oldest && await isKept(projectId)) continue;
      lost.push(...await this.delete({ name }));
    }
    return lost;
  }

  /** Resolves when everything that was added is written or refused. */
  async close(): Promise<void> {
    await this.#queue.close();
    await this.#counting?.catch(() => {});
  }

  async #each(
    choice: AsideChoice,
    work: (object: AsideObject) => Promise<void>,
  ): Promise<number> {
    let requests = 0;
    for (const object of await this.find(choice)) {
      await work(object);
      await this.options.objects.delete(ASIDE_PREFIX + object.name);
      this.#bytes -= object.bytes;
      requests += object.requests;
    }
    return requests;
  }

  async *#list(): AsyncGenerator<AsideObject> {
    for await (const listed of this.options.objects.list(ASIDE_PREFIX)) {
      const object = readName(listed);
      if (object !== null) yield object;
    }
  }

  /** Waits for the first listing; later ones, which may be long, go on beside. */
  async #refresh(): Promise<void> {
    if (performance.now() - this.#countedAt < RECOUNT_MS) return;
    this.#counting ??= this.#count().finally(() => this.#counting = null);
    if (this.#countedAt === -Infinity) await this.#counting;
    else this.#counting.catch(() => {});
  }

  async #count(): Promise<void> {
    const before = this.#bytes;
    let bytes = 0;
    for await (const object of this.#list()) bytes += object.bytes;
    // What was added meanwhile may be among it: counting it twice errs on the safe side.
    this.#bytes += bytes - before;
    this.#countedAt = performance.now();
  }

  /** One line a minute, however many there are. */
  #tell(
    { projectId, protocol }: SpooledRequest,
    code: string,
    message: string,
    error: unknown,
  ): void {
    this.#untold++;
    if (performance.now() - this.#toldAt < TELL_EVERY_MS) return;
    const place = error === undefined ? {} : { protocol, ...placeOf(error) };
    const fields = { requests: this.#untold, project: projectId, ...place, code };
    this.options.log.error(message, fields, error);
    this.#untold = 0;
    this.#toldAt = performance.now();
  }
}

function sizeOf(objects: readonly AsideObject[]): { requests: number; bytes: number } {
  return {
    requests: objects.reduce((sum, { requests }) => sum + requests, 0),
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** `<time>_<project>_<code>_<requests>_<version>_<id>` */
function keyOf({ kind, requests, since }: ObjectGroup, version: string): string {
  const plain = version.replace(/[^0-9A-Za-z.-]/g, "-");
  const id = crypto.randomUUID();
  return `${ASIDE_PREFIX}${timeDigits(since.getTime())}_${kind}_${requests}_${plain}_${id}`;
}

const NAME =
  /^(\d{15})_(\d{1,18})_([0-9A-Za-z]{1,20})_(\d{1,9})_([0-9A-Za-z.-]{1,40})_[0-9a-f-]{36}$/;

function readName({ key, size }: ListedObject): AsideObject | null {
  const name = key.slice(ASIDE_PREFIX.length);
  const [, time, projectId = "", code = "", requests, version = ""] = NAME.exec(name) ?? [];
  if (time === undefined) return null;
  const since = new Date(Number(time));
  return { name, projectId, code, requests: Number(requests), bytes: size, since, version };
}

/** Whether a version comes before another: by its numbers, and what is no number is as old as can be. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  const differing = b.findIndex((number, place) => number !== (a[place] ?? -1));
  return differing !== -1 && (a[differing] ?? -1) < (b[differing] ?? -1);
}

function numbersOf(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").filter(Boolean).map(Number);
}
