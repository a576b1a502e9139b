/**
 * How large trees may grow. What is done with a tree is done in one go, in which nobody else is served: with so many
 * nodes, a step takes a fifth of a second. The largest genuine profile known makes 425,000.
 */
export const TREE_LIMITS = {
  /** Of a tree of stacks. Beyond, stacks end where the tree does; their values stay. */
  nodes: 800_000,
  /** Different functions. */
  frames: 250_000,
  /** UTF-16 units of their names, files and modules together. */
  text: 16_000_000,
  /** Of a tree that is turned round, which may have many times the nodes that it is made of. */
  turnedNodes: 800_000,
  /** Frames of all stacks together that are walked to turn a tree round. */
  turnedSteps: 8_000_000,
  /** Frames of all stacks together in a file. */
  exportedFrames: 10_000_000,
  /** UTF-16 units of a file of lines. */
  exportedText: 64_000_000,
} as const;
