/** Walks and sums over trees of parents, none by recursion: stacks are thousands deep. */

/** First child and next sibling of every node; 0 for none. Siblings stand in the order of their numbers. */
export interface Kinship {
  readonly children: Uint32Array;
  readonly siblings: Uint32Array;
}

/** @param parents of each node, before it; the root's is 0 */
export function kinshipOf(parents: Uint32Array): Kinship {
  const children = new Uint32Array(parents.length);
  const siblings = new Uint32Array(parents.length);
  for (let node = parents.length - 1; node > 0; node--) {
    const parent = parents[node] as number;
    siblings[node] = children[parent] as number;
    children[parent] = node;
  }
  return { children, siblings };
}

/** All nodes, each before those below it and these before its next sibling. */
export function preorder(parents: Uint32Array): Uint32Array {
  const { children, siblings } = kinshipOf(parents);
  const order = new Uint32Array(parents.length);
  let node = 0;
  for (let place = 0; place < order.length; place++) {
    order[place] = node;
    let next = children[node] as number;
    while (next === 0 && node !== 0) {
      next = siblings[node] as number;
      if (next === 0) node = parents[node] as number;
    }
    node = next;
  }
  return order;
}

/** The value of each node with all below. */
export function totalsOf(parents: Uint32Array, selfs: BigInt64Array): BigInt64Array {
  const totals = selfs.slice();
  for (let node = parents.length - 1; node > 0; node--) {
    const parent = parents[node] as number;
    totals[parent] = BigInt.asIntN(64, (totals[parent] as bigint) + (totals[node] as bigint));
  }
  return totals;
}

/** 1 for each node whose frame is that of no node above it: where recursion does not count twice. */
export function outermost(parents: Uint32Array, nodeFrames: Uint32Array): Uint8Array {
  const { children, siblings } = kinshipOf(parents);
  const isOutermost = new Uint8Array(parents.length);
  const above = new Uint32Array(1 + nodeFrames.reduce((most, frame) => Math.max(most, frame), 0));
  let node = children[0] as number;
  while (node !== 0) {
    const frame = nodeFrames[node] as number;
    if (above[frame] === 0) isOutermost[node] = 1;
    above[frame] = (above[frame] as number) + 1;
    let next = children[node] as number;
    while (next === 0 && node !== 0) {
      const left = nodeFrames[node] as number;
      above[left] = (above[left] as number) - 1;
      next = siblings[node] as number;
      if (next === 0) node = parents[node] as number;
    }
    node = next;
  }
  return isOutermost;
}
