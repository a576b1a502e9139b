/**
 * Copies objects into parts and back. What has a key never changes, so a key that a former backup has with the same size
 * is taken from there.
 */
import { z } from "zod";
import { checkKey, type ListedObject, type ObjectStore } from "../../store/objects/store.ts";
import type { Manifest } from "./manifest.ts";
import { DamagedPart, nameOf, PART_NAME, type Parts, type PartWriter, pathOf } from "./parts.ts";

const Entry = z.object({ key: z.string(), size: z.int(), part: z.string().regex(PART_NAME) });
export type CopiedObject = z.infer<typeof Entry>;

/** Lines of the list in one piece. */
const LINES_A_PIECE = 10_000;
/** Requests wait in these, and move from one to the other and into Postgres: all of them are copied before Postgres is. */
const MOVING = ["set_aside/", "spool/", "set_aside/"];

/** The list of objects of a backup. @throws {DamagedPart} */
export async function readObjectList(
  parts: Parts,
  objects: Manifest["objects"],
): Promise<Map<string, CopiedObject>> {
  const list = new Map<string, CopiedObject>();
  for (const part of objects.parts) {
    for (const { name, bytes } of await parts.read(part)) {
      if (name !== nameOf.list()) continue;
      for (const entry of entriesIn(part, bytes)) list.set(entry.key, entry);
    }
  }
  return list;
}

function entriesIn(part: string, bytes: Uint8Array): CopiedObject[] {
  try {
    return new TextDecoder().decode(bytes).split("\n").map((line) => {
      const entry = Entry.parse(JSON.parse(line));
      checkKey(entry.key);
      return entry;
    });
  } catch (error) {
    throw new DamagedPart(`Part ${pathOf(part)} is no list of objects`, { cause: error });
  }
}

/** What is copied of an object store, in two passes: what rows refer to is there before the rows are. */
export class ObjectCopy {
  readonly #copied = new Map<string, CopiedObject | Omit<CopiedObject, "part">>();

  /** @param before the list of the backup before this one */
  constructor(
    private readonly objects: ObjectStore,
    private readonly writer: PartWriter,
    private readonly before: ReadonlyMap<string, CopiedObject>,
    private readonly say: (objects: number) => void,
  ) {}

  /** Copies all that is not copied yet. */
  async run(): Promise<void> {
    for (const prefix of [...MOVING, ""]) {
      for await (const object of this.objects.list(prefix)) {
        if (!this.#copied.has(object.key)) await this.#copy(object);
      }
    }
  }

  /** Writes the list, once the writer has ended. @returns what to tell of them in the manifest */
  async writeList(writer: PartWriter): Promise<Manifest["objects"]> {
    const parts: string[] = [];
    const note = (part: string) => void parts.push(part);
    const entries = [...this.#copied.values()];
    for (let index = 0; index < entries.length; index += LINES_A_PIECE) {
      const lines = entries.slice(index, index + LINES_A_PIECE).map((each) => JSON.stringify(each));
      await writer.add(nameOf.list(), new TextEncoder().encode(lines.join("\n")), note);
    }
    await writer.end();
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    return { count: entries.length, bytes, parts };
  }

  /** The parts that hold them. */
  partsOf(): Set<string> {
    return new Set(this.#copied.values().flatMap((each) => "part" in each ? [each.part] : []));
  }

  async #copy({ key, size }: ListedObject): Promise<void> {
    const known = this.before.get(key);
    if (known?.size === size) {
      this.#copied.set(key, known);
      return;
    }
    const bytes = await this.objects.get(key);
    // Deleted since it was listed.
    if (bytes === null) return;
    this.#copied.set(key, { key, size: bytes.length });
    await this.writer.add(nameOf.object(key), bytes, (part) => {
      this.#copied.set(key, { key, size: bytes.length, part });
    });
    this.say(this.#copied.size);
  }
}

/** Puts all objects of a list into a store, but for those that it has already. */
export async function loadObjects(
  { objects, parts, list, say }: {
    readonly objects: ObjectStore;
    readonly parts: Parts;
    readonly list: ReadonlyMap<string, CopiedObject>;
    readonly say: (done: number, of: number) => void;
  },
): Promise<void> {
  const there = new Map<string, number>();
  for await (const { key, size } of objects.list("")) there.set(key, size);
  const missing = [...list.values()].filter(({ key, size }) => there.get(key) !== size);
  let done = list.size - missing.length;
  for (const [part, wanted] of Map.groupBy(missing, (each) => each.part)) {
    const found = new Map((await parts.read(part)).map(({ name, bytes }) => [name, bytes]));
    for (const { key } of wanted) {
      const bytes = found.get(nameOf.object(key));
      if (bytes === undefined) throw new DamagedPart(`Part ${pathOf(part)} lacks ${key}`);
      await objects.put(key, bytes);
    }
    say(done += wanted.length, list.size);
  }
}
