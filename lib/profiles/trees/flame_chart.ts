import type { FlameData } from "../../ui/flamegraph/flame_data.ts";
import { flameData, type FlameLimits, type FlameSource, heaviest } from "./flame_nodes.ts";
import type { OrderedThread, TimeOrder } from "./time_order.ts";

/** A flame graph in order of time: siblings stand as they ran, `starts` tells when, in the unit of the values. */
export type FlameChart = FlameData & { readonly starts: number[] };

/**
 * What one thread did, over time. A function that was on consecutive stacks at the same level ran throughout. The root
 * reaches from the first sample to the end of the last; what it has itself is the time when nothing ran.
 *
 * @param thread id of a thread of the order; of one that is not there: a chart of nothing
 * @param platform tells own code where profiles do not
 */
export function flameChart(
  order: TimeOrder,
  thread: string,
  limits: FlameLimits = {},
  platform?: string,
): FlameChart {
  const boxes = new Boxes();
  for (const sample of order.threads.find(({ id }) => id === thread)?.samples ?? []) {
    boxes.add(sample);
  }
  const { starts, ...columns } = boxes.finish();
  const source: FlameSource = { type: order.type, frames: order.frames, ...columns };
  const nodes = heaviest({
    parents: columns.parents,
    weights: columns.totals,
    rankOf: (node) => starts[node] ?? 0,
  }, limits).sort((a, b) => a - b);
  return {
    ...flameData(source, nodes, platform),
    starts: nodes.map((node) => starts[node] as number),
  };
}

/** Nodes in the order in which they begin, which is depth first. */
class Boxes {
  readonly #parents = [0];
  readonly #frames = [0];
  readonly #starts = [0];
  readonly #selfs = [0];
  readonly #totals = [0];
  /** Nodes that the last stack is made of. */
  #open: number[] = [];
  #begin: number | null = null;
  #end = 0;

  add({ start, duration, stack }: OrderedThread["samples"][number]): void {
    if (duration === 0) return;
    this.#begin ??= start;
    let depth = this.#sharedDepth(start, stack);
    this.#open.length = depth;
    for (; depth < stack.length; depth++) {
      const parent = this.#open[depth - 1] ?? 0;
      this.#open.push(this.#box(parent, stack[depth] as number, start));
    }
    for (const node of this.#open) this.#totals[node] = (this.#totals[node] ?? 0) + duration;
    const leaf = this.#open.at(-1);
    if (leaf !== undefined) this.#selfs[leaf] = (this.#selfs[leaf] ?? 0) + duration;
    this.#end = start + duration;
  }

  finish() {
    const total = this.#end - (this.#begin ?? 0);
    const busy = this.#totals.reduce(
      (sum, value, node) => node > 0 && this.#parents[node] === 0 ? sum + value : sum,
      0,
    );
    this.#starts[0] = this.#begin ?? 0;
    this.#totals[0] = total;
    this.#selfs[0] = total - busy;
    return {
      parents: Uint32Array.from(this.#parents),
      nodeFrames: Uint32Array.from(this.#frames),
      selfs: Float64Array.from(this.#selfs),
      totals: Float64Array.from(this.#totals),
      starts: this.#starts,
    };
  }

  /** How many levels go on from the last stack: none after a break. */
  #sharedDepth(start: number, stack: Uint32Array): number {
    if (start > this.#end) return 0;
    let depth = 0;
    while (depth < this.#open.length && depth < stack.length) {
      if (this.#frames[this.#open[depth] as number] !== stack[depth]) break;
      depth++;
    }
    return depth;
  }

  #box(parent: number, frame: number, start: number): number {
    this.#frames.push(frame);
    this.#starts.push(start);
    this.#selfs.push(0);
    this.#totals.push(0);
    return this.#parents.push(parent) - 1;
  }
}
