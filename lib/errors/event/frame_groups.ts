import type { Frame } from "./stack.ts";

/** Frames as the page lays them out: each by itself, or a run of library frames folded behind one line. */
export type FrameGroup =
  | { readonly kind: "frame"; readonly frame: Frame; readonly isOpen: boolean }
  | { readonly kind: "run"; readonly frames: readonly Frame[]; readonly origins: readonly string[] }
  /** Frames that were left out when the event was stored. */
  | { readonly kind: "gap"; readonly count: number };

/** `app`: runs of library frames are folded · `all`: every frame stands by itself. */
export type FrameMode = "app" | "all";

/** A single library frame costs no more room than the line that would fold it. */
const MIN_RUN = 2;
const MAX_ORIGINS = 3;

/**
 * Lays out a stack for reading: the newest frame always stands by itself, because that is where it broke;
 * the newest frame of the app is open; runs of library frames between are folded. A stack without any
 * frame of the app is shown whole, with its newest frame open.
 *
 * @param frames newest first
 */
export function groupFrames(frames: readonly Frame[], mode: FrameMode): FrameGroup[] {
  const firstInApp = frames.findIndex((frame) => frame.isInApp);
  const open = Math.max(firstInApp, 0);
  const foldsRuns = mode === "app" && firstInApp !== -1;
  const groups: FrameGroup[] = [];
  let run: Frame[] = [];
  const endRun = () => {
    if (run.length >= MIN_RUN) groups.push({ kind: "run", frames: run, origins: originsOf(run) });
    else groups.push(...run.map((frame) => ({ kind: "frame" as const, frame, isOpen: false })));
    run = [];
  };
  frames.forEach((frame, index) => {
    if (foldsRuns && !frame.isInApp && index > 0) {
      run.push(frame);
    } else {
      endRun();
      groups.push({ kind: "frame", frame, isOpen: index === open });
    }
    if (frame.omittedBelow > 0) {
      endRun();
      groups.push({ kind: "gap", count: frame.omittedBelow });
    }
  });
  endRun();
  return groups;
}

/** The same layout read from the oldest call to the newest. */
export function oldestFirst(groups: readonly FrameGroup[]): FrameGroup[] {
  return groups.toReversed().map((group) =>
    group.kind === "run" ? { ...group, frames: group.frames.toReversed() } : group
  );
}

/** The libraries that a run passes through, most frames first. */
function originsOf(frames: readonly Frame[]): string[] {
  const counts = new Map<string, number>();
  for (const frame of frames) {
    const origin = originOf(frame);
    if (origin !== "") counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_ORIGINS).map(([name]) => name);
}

const PACKAGE_PATHS = [
  // npm, also behind pnpm's and yarn's own folders: the last node_modules is the one that counts.
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/,
  /\/(?:site|dist)-packages\/([^/.]+)/,
  /(?:^|\/)vendor\/([^/]+\/[^/]+)/,
  /\/pkg\/mod\/([^@]+)@/,
  /.*\/gems\/([^/]+?)-\d[^/]*\//,
  /\/lib\/python[\d.]+\/(\w+)/,
  /^(node:[^/]+)/,
];

/** The package a library frame belongs to, `""` when neither its path nor its name tells. */
export function originOf({ name, file, path }: Pick<Frame, "name" | "file" | "path">): string {
  for (const text of [path, file]) {
    for (const pattern of PACKAGE_PATHS) {
      const found = pattern.exec(text)?.[1];
      if (found) return found;
    }
  }
  const isJvm = /\.(?:java|kt|scala|groovy)$/.test(file);
  return isJvm ? /^[a-z]\w*\.[a-z]\w*(?=\.)/.exec(name)?.[0] ?? "" : "";
}
