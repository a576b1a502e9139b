import { t } from "../../core/language/translate.ts";
import type { FlameFrames, FlameTree } from "./flame_tree.ts";
import { packageNameOf } from "./frames.ts";

/** What colours say: which package a function is of, whether it is own code, or how it changed. */
export type ColourMode = "package" | "own" | "diff";

/** Number of hues; packages share them by their hash. */
const HUES = 24;
const OWN = 0;
const LIBRARY = HUES;
const GREY = 2 * HUES;
/** The root, runtimes and what has no package. */
const PLAIN = GREY;
const SYSTEM = GREY + 1;
const ACCENT = GREY + 2;
const PALE = GREY + 3;
/** What has not changed; those above are more, those below less, in so many steps. */
const SAME = GREY + 4 + 5;
const STEPS = 5;
/** Class names of all colours (styled in colours.css); a colour is a place among them. */
export const COLOUR_CLASSES: readonly string[] = [
  ...Array.from({ length: HUES }, (_, hue) => `flame-own flame-h${hue}`),
  ...Array.from({ length: HUES }, (_, hue) => `flame-library flame-h${hue}`),
  "flame-plain",
  "flame-system",
  "flame-accent",
  "flame-pale",
  "flame-less5",
  "flame-less4",
  "flame-less3",
  "flame-less2",
  "flame-less1",
  "flame-same",
  "flame-more1",
  "flame-more2",
  "flame-more3",
  "flame-more4",
  "flame-more5",
];

/** From which change of a total on (as a share of both sides together) each step of the diff colours begins. */
const CHANGE_STEPS = [0.01, 0.08, 0.2, 0.4, 0.7];
/** Kernels, garbage collectors and virtual machines, whose colour must not look like a package's. */
const SYSTEM_PACKAGE = /^\[.*\]$/;

/** The colour of each node of a tree, as places in {@linkcode COLOUR_CLASSES}. */
export function nodeColours(tree: FlameTree, mode: ColourMode): Uint8Array {
  const { nodeFrames, base, totals } = tree;
  if (mode === "diff" && base !== null) {
    return Uint8Array.from(
      totals,
      (total, node) => changeColour(base.totals[node] ?? 0, total),
    );
  }
  const colours = mode === "own" ? ownColours(tree) : packageColours(tree);
  return Uint8Array.from(nodeFrames, (frame) => colours[frame] ?? PLAIN);
}

/** The colour of a change from one total to another. */
export function changeColour(before: number, after: number): number {
  const both = Math.abs(before) + Math.abs(after);
  const change = both === 0 ? 0 : (after - before) / both;
  const step = CHANGE_STEPS.filter((from) => Math.abs(change) >= from).length;
  return SAME + Math.sign(change) * Math.min(step, STEPS);
}

/** The hue of a package: the same in every profile. */
export function hueOf(name: string): number {
  // FNV-1a
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  // Its low bits alone are alike for names that are alike.
  return ((hash ^ (hash >>> 15)) >>> 0) % HUES;
}

/** What the colours of a mode mean, for the legend. */
export function legendOf(
  tree: FlameTree,
  mode: ColourMode,
): readonly { readonly label: string; readonly colour: number }[] {
  if (mode === "diff") {
    return [
      { label: t("less"), colour: SAME - 3 },
      { label: t("same"), colour: SAME },
      { label: t("more"), colour: SAME + 3 },
    ];
  }
  if (mode === "own") {
    return [
      { label: t("own code"), colour: ACCENT },
      { label: t("libraries"), colour: PALE },
      { label: t("unknown"), colour: PLAIN },
    ];
  }
  return heaviestPackages(tree);
}

/** As many as fit a line of the legend. */
const LEGEND_PACKAGES = 6;

function heaviestPackages(tree: FlameTree) {
  const colours = packageColours(tree);
  const packages = packagesOf(tree.frames);
  const found = new Map<string, { colour: number; self: number }>();
  for (const [node, frame] of tree.nodeFrames.entries()) {
    const name = packages[frame] ?? "";
    if (name === "") continue;
    const entry = found.get(name) ?? { colour: colours[frame] ?? PLAIN, self: 0 };
    entry.self += Math.abs(tree.selfs[node] ?? 0);
    found.set(name, entry);
  }
  return [...found].sort(([, a], [, b]) => b.self - a.self).slice(0, LEGEND_PACKAGES)
    .map(([label, { colour }]) => ({ label, colour }));
}

function packageColours({ frames }: FlameTree): Uint8Array {
  return Uint8Array.from(packagesOf(frames), (name, frame) => {
    if (name === "") return PLAIN;
    if (SYSTEM_PACKAGE.test(name)) return SYSTEM;
    // Where nobody says what is own code, pale colours would only be hard to tell apart.
    return (frames.isInApp[frame] === 0 ? LIBRARY : OWN) + hueOf(name);
  });
}

function ownColours({ frames }: FlameTree): Uint8Array {
  return Uint8Array.from(packagesOf(frames), (name, frame) => {
    if (frame === 0) return PLAIN;
    if (SYSTEM_PACKAGE.test(name)) return SYSTEM;
    return [PALE, ACCENT, PLAIN][frames.isInApp[frame] ?? 2] ?? PLAIN;
  });
}

/** Packages of functions by their place, for each list of functions; that of the root is `""`. */
const packages = new WeakMap<FlameFrames, readonly string[]>();

function packagesOf(frames: FlameFrames): readonly string[] {
  const known = packages.get(frames);
  if (known !== undefined) return known;
  const names = frames.names.map((_, frame) => frame === 0 ? "" : packageNameOf(frames, frame));
  packages.set(frames, names);
  return names;
}
