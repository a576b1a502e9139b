import type { SampleTable } from "../../formats/pprof/profile.ts";
import type { NodeTable } from "./node_table.ts";
import type { LocationFrames } from "./profile_frames.ts";

/**
 * Finds the nodes of samples one after another. The way to the one before is remembered: samples that follow each
 * other mostly begin alike, and so far nothing need be looked up.
 */
export class SampleWalk {
  readonly #nodes: NodeTable;
  /** Frames of the sample before, and the nodes that they led to. */
  #frames = new Uint32Array(256);
  #path = new Uint32Array(256);
  #depth = 0;
  /** Stacks that ended where the table was full. */
  cut = 0;

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  /** The node of a sample's innermost frame, made with those above it where needed; 0 for an empty stack. */
  nodeOf(samples: SampleTable, sample: number, { starts, frames }: LocationFrames): number {
    const table = this.#nodes;
    const start = samples.starts[sample] as number;
    let known = this.#depth;
    let node = 0;
    let depth = 0;
    for (let at = (samples.starts[sample + 1] as number) - 1; at >= start; at--) {
      const location = samples.locations[at] as number;
      const end = starts[location + 1] as number;
      const first = starts[location] as number;
      if (depth + end - first > this.#path.length) this.#grow(end - first);
      for (let place = first; place < end; place++, depth++) {
        const frame = frames[place] as number;
        if (depth < known && this.#frames[depth] === frame) {
          node = this.#path[depth] as number;
          continue;
        }
        known = 0;
        const child = table.child(node, frame);
        if (child === 0) {
          this.#depth = depth;
          this.cut++;
          return node;
        }
        node = child;
        this.#frames[depth] = frame;
        this.#path[depth] = node;
      }
    }
    this.#depth = depth;
    return node;
  }

  #grow(needed: number): void {
    const length = 2 * this.#path.length + needed;
    const [frames, path] = [new Uint32Array(length), new Uint32Array(length)];
    frames.set(this.#frames);
    path.set(this.#path);
    this.#frames = frames;
    this.#path = path;
  }
}
