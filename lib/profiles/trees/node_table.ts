import { seededHash } from "../../core/seeded_hash.ts";

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
