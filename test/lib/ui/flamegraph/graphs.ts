/** The graphs of the test's pages. */
import type { FlameChart, FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { flamePayload } from "@/lib/profiles/trees/flame_payload.ts";
import { largeDiff, largeTree, smallData, wholePayload } from "./trees.ts";

const MS = 1e6;
const LARGE_NODES = 200_000;
/** Cut so coarsely that zooming has to load; then all is sent. */
const CUT = { minShare: 1 / 300 };

const SMALL = {
  main: {
    self: 10 * MS,
    "shop.checkout": {
      self: 5 * MS,
      "lib.parse": { self: 10 * MS, "lib.parse": { self: 15 * MS, "lib.read": 5 * MS } },
      "shop.prices": { self: 20 * MS, "lib.read": 15 * MS },
    },
    "shop.cart": { self: 10 * MS, "lib.read": 10 * MS },
  },
};
const BEFORE = {
  main: {
    self: 10 * MS,
    "shop.checkout": { self: 5 * MS, "shop.prices": 10 * MS, "shop.taxes": 15 * MS },
    "shop.cart": { self: 10 * MS, "lib.read": 10 * MS },
  },
};

export type GraphName = "small" | "diff" | "cut" | "large" | "bigdiff" | "empty";

const made = new Map<string, FlameData>();

/**
 * A graph by its name.
 *
 * @param path below which it is wanted, for `cut`
 */
export function graph(name: GraphName, path: readonly string[] = []): FlameData {
  const key = [name, ...path].join();
  const known = made.get(key) ?? make(name, path);
  made.set(key, known);
  return known;
}

function make(name: GraphName, path: readonly string[]): FlameData {
  switch (name) {
    case "small":
      return smallData(SMALL);
    case "diff":
      return smallData(SMALL, BEFORE);
    case "cut":
      return flamePayload(largeTree(20_000), path.length > 0 ? { path, minShare: 0 } : CUT);
    case "large":
      return wholePayload(largeTree(LARGE_NODES));
    case "bigdiff":
      return flamePayload(largeDiff(20_000));
    case "empty":
      return smallData({});
  }
}

/** A chart of two threads: one calls the same function three times, with a break. */
export function chart(thread: string): FlameChart {
  const small = smallData({ [thread === "2" ? "worker" : "main"]: { "shop.poll": 1 } });
  return {
    ...small,
    depths: [0, 1, 2, 2, 1, 2],
    nodeFrames: [0, 1, 2, 2, 1, 2],
    starts: [0, 0, 0, 30, 60, 60].map((ms) => ms * MS),
    selfs: [0, 20, 10, 20, 10, 30].map((ms) => ms * MS),
    totals: [100, 50, 10, 20, 40, 30].map((ms) => ms * MS),
  };
}
