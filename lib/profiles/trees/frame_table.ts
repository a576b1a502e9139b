import { seededHash } from "../../core/seeded_hash.ts";
import type { Frame } from "./stack_profile.ts";

/** Of a name or a path. Longer ones lose their beginning; templates of C++ have some hundreds. */
const MAX_TEXT = 2_048;

/** What stands for the root of every tree. */
export const ROOT_FRAME: Frame = { name: "root", file: "", module: "", line: 0, isInApp: null };

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
