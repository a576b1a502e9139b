import { gzipSync } from "node:zlib";
import { PprofBuilder, type PprofHead, type PprofLabel } from "../../lib/formats/pprof/encode.ts";
import type { Call } from "./calls.ts";

/** Writes stacks of calls as a pprof profile. */
export class PprofStacks {
  readonly #builder: PprofBuilder;
  readonly #mapping: number;

  /** @param binary path of the program */
  constructor(head: PprofHead, binary: string) {
    this.#builder = new PprofBuilder(head);
    this.#mapping = this.#builder.mapping(binary);
  }

  /** Adds a sample. @param frames the outermost function first */
  add(
    frames: readonly Call[],
    values: readonly bigint[],
    labels: readonly PprofLabel[] = [],
  ): void {
    const locations = frames.map((frame) => this.#locationOf(frame)).reverse();
    this.#builder.sample(locations, values, labels);
  }

  /** The profile, compressed as profilers do it. */
  toGzip(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(gzipSync(this.#builder.toBytes()));
  }

  #locationOf({ name, file, line }: Call): number {
    const id = this.#builder.function(name, file);
    const mapping = this.#mapping;
    return this.#builder.location([{ function: id, line, column: 0 }], { mapping });
  }
}
