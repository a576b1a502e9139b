import { seededHash } from "../../core/seeded_hash.ts";
import type { Frame } from "./stacks.ts";

/** Of a name or a path. Longer ones lose their beginning; templates of C++ have some hundreds. */
const MAX_TEXT = 2_048;

/** What stands for the root of every tree. */
const ROOT_FRAME: Frame = { name: "root", file: "", module: "", line: 0, isInApp: null };

/**
 * Functions of many profiles, each once. The first is {@linkcode ROOT_FRAME}, which no other is taken for. Texts are
 * numbered first, so that the same function of a thousand profiles is found by three numbers.
 */
export class FrameTable {
  readonly #numbers = new Map<string, number>([["", 0]]);
  readonly #texts = [""];
  readonly #frames: Frame[] = [ROOT_FRAME];
  /** Name, file and module of each frame, as numbers of texts. */
  #keys = new Uint32Array(3 * 256);
  /** Frames by hash; 0 is free. */
  #slots = new Uint32Array(1024);

  /** UTF-16 units of all texts. */
  textLength = 0;

  /** By number; the first is the root's. Changes with the table. */
  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** The number of a text; the same for the same text, 0 for `""`. */
  text(text: string): number {
    const kept = text.length > MAX_TEXT ? `…${text.slice(1 - MAX_TEXT)}` : text;
    let number = this.#numbers.get(kept);
    if (number === undefined) {
      number = this.#texts.push(kept) - 1;
      this.#numbers.set(kept, number);
      this.textLength += kept.length;
    }
    return number;
  }

  /** The number of a function, above 0. */
  add({ name, file, module, line, isInApp }: Frame): number {
    return this.addByTexts(this.text(name), this.text(file), this.text(module), line, isInApp);
  }

  /**
   * As {@linkcode add}, with the numbers of the texts. What several say of the same function is joined in a way that
   * does not depend on their order: the first of the lines, and the application's own if anybody says so.
   */
  addByTexts(
    name: number,
    file: number,
    module: number,
    line: number,
    isInApp: boolean | null,
  ): number {
    const mask = this.#slots.length - 1;
    const keys = this.#keys;
    let slot = hashOf(name, file, module) & mask;
    for (;;) {
      const place = this.#slots[slot] as number;
      if (place === 0) break;
      const key = place * 3;
      if (keys[key] === name && keys[key + 1] === file && keys[key + 2] === module) {
        this.#join(place, line, isInApp);
        return place;
      }
      slot = (slot + 1) & mask;
    }
    const place = this.#frames.push({
      name: this.#texts[name] as string,
      file: this.#texts[file] as string,
      module: this.#texts[module] as string,
      line,
      isInApp,
    }) - 1;
    this.#remember(place, name, file, module);
    this.#slots[slot] = place;
    if (place * 2 > this.#slots.length) this.#rehash();
    return place;
  }

  #remember(place: number, name: number, file: number, module: number): void {
    if (place * 3 + 3 > this.#keys.length) {
      const larger = new Uint32Array(this.#keys.length * 2);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    this.#keys.set([name, file, module], place * 3);
  }

  #rehash(): void {
    const keys = this.#keys;
    const slots = new Uint32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let place = 1; place < this.#frames.length; place++) {
      const key = place * 3;
      const hash = hashOf(keys[key] as number, keys[key + 1] as number, keys[key + 2] as number);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = place;
    }
    this.#slots = slots;
  }

  #join(place: number, line: number, isInApp: boolean | null): void {
    const known = this.#frames[place] as Frame;
    const first = known.line === 0 || (line !== 0 && line < known.line) ? line : known.line;
    const isOwn = known.isInApp === null || isInApp === null
      ? known.isInApp ?? isInApp
      : known.isInApp || isInApp;
    if (first !== known.line || isOwn !== known.isInApp) {
      this.#frames[place] = { ...known, line: first, isInApp: isOwn };
    }
  }
}

function hashOf(name: number, file: number, module: number): number {
  return seededHash(seededHash(name, file), module);
}

/**
 * The nodes of a tree in the making, each found by its parent and its frame. Most nodes have one child, which stands
 * right behind them in memory and is looked at first; only those that came later are in a table of integers with open
 * addressing, which so stays small enough for the processor's caches. A map in every node would cost many times more.
 */
export class NodeTable {
  /** Of node `i`; what is beyond {@linkcode count} means nothing. Replaced as the table grows. */
  parents = new Uint32Array(1024);
  frames = new Uint32Array(1024);
  /** Nodes, the root (0) among them. */
  count = 1;
  /** The child that each node got first; 0 for none. */
  #firsts = new Uint32Array(1024);
  /** All other children by hash, four numbers each, so that one look is enough: node (0 is free), parent, frame, -. */
  #slots = new Uint32Array(4096);
  #taken = 0;

  /** @param maxNodes how many there may be, nearly: those right below the root are always made */
  constructor(private readonly maxNodes = Infinity) {}

  /**
   * The child of a node with a frame; made when there is none.
   *
   * @param parent a node
   * @param frame whatever number stands for the frame
   * @returns the node, above its parent; 0 when it is not there and the table is full
   */
  child(parent: number, frame: number): number {
    const first = this.#firsts[parent] as number;
    if (first !== 0) {
      return this.frames[first] === frame ? first : this.#laterChild(parent, frame);
    }
    // Adding may replace the list of first children.
    const node = this.#add(parent, frame);
    this.#firsts[parent] = node;
    return node;
  }

  #laterChild(parent: number, frame: number): number {
    const slots = this.#slots;
    let slot = slotOf(slots, parent, frame);
    for (;;) {
      const node = slots[slot] as number;
      if (node === 0) break;
      if (slots[slot + 1] === parent && slots[slot + 2] === frame) return node;
      slot = (slot + 4) & (slots.length - 1);
    }
    const node = this.#add(parent, frame);
    if (node === 0) return 0;
    slots[slot] = node;
    slots[slot + 1] = parent;
    slots[slot + 2] = frame;
    this.#taken++;
    if (this.#taken * 8 > slots.length) this.#rehash();
    return node;
  }

  #add(parent: number, frame: number): number {
    if (this.count >= this.maxNodes && parent !== 0) return 0;
    const node = this.count++;
    if (node === this.parents.length) {
      this.parents = grown(this.parents);
      this.frames = grown(this.frames);
      this.#firsts = grown(this.#firsts);
    }
    this.parents[node] = parent;
    this.frames[node] = frame;
    return node;
  }

  #rehash(): void {
    const old = this.#slots;
    const slots = new Uint32Array(old.length * 2);
    for (let from = 0; from < old.length; from += 4) {
      if (old[from] === 0) continue;
      let slot = slotOf(slots, old[from + 1] as number, old[from + 2] as number);
      while (slots[slot] !== 0) slot = (slot + 4) & (slots.length - 1);
      slots.set(old.subarray(from, from + 3), slot);
    }
    this.#slots = slots;
  }
}

function grown(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(list.length * 2);
  larger.set(list);
  return larger;
}

function slotOf(slots: Uint32Array, parent: number, frame: number): number {
  return (seededHash(parent, frame) << 2) & (slots.length - 1);
}
