import type { FlameFrames } from "./flame_data.ts";
import type { Frame } from "../../profiles/trees/stack_profile.ts";
import { type ShownFrame, shownFrame } from "./shown_frame.ts";

/** What stands for the root, which is no function. */
const ROOT_NAME = "all";

/** Name of a function as it is shown. */
export function nameOf(frames: FlameFrames, frame: number): string {
  return frame === 0 ? ROOT_NAME : shownOf(frames, frame).name || "<unknown>";
}

/** Source file of a function, or `""`. */
export function fileOf({ files, fileOf }: FlameFrames, frame: number): string {
  return files[fileOf[frame] ?? 0] ?? "";
}

/** Where a function stands: `file:line`, the file alone, or `""`. */
export function placeOf(frames: FlameFrames, frame: number): string {
  const { file, line } = shownOf(frames, frame);
  return file === "" || line === 0 ? file : `${file}:${line}`;
}

/** Name, file and line of a function as they are shown; paths, filters and links go by what profiles say. */
export function shownOf(frames: FlameFrames, frame: number): ShownFrame {
  return shownFrame({
    name: frames.names[frame] ?? "",
    file: fileOf(frames, frame),
    line: frames.lines[frame] ?? 0,
  });
}

/** Module, package or binary of a function, or `""`. */
export function moduleOf({ modules, moduleOf }: FlameFrames, frame: number): string {
  return modules[moduleOf[frame] ?? 0] ?? "";
}

/** A function as lib/profiles knows it, by the names that are shown. */
export function frameOf(frames: FlameFrames, frame: number): Frame {
  const isInApp = frames.isInApp[frame];
  return {
    ...shownOf(frames, frame),
    module: moduleOf(frames, frame),
    isInApp: isInApp === 2 || isInApp === undefined ? null : isInApp === 1,
  };
}

/**
 * A name in so many characters: whole, else without the path of its package, else cut with an ellipsis. Empty when
 * not even three characters fit.
 */
export function fitted(name: string, room: number): string {
  if (name.length <= room) return name;
  const short = withoutPath(name);
  if (short.length <= room) return short;
  // A lone half of a surrogate pair would be drawn as a box.
  return room < 3 ? "" : `${short.slice(0, room - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `github.com/lib/pq.(*conn).Query` → `pq.(*conn).Query`. Arguments and generics may have slashes of their own. */
function withoutPath(name: string): string {
  const head = /^[^\s(<[]*/.exec(name)?.[0] ?? "";
  return name.slice(head.lastIndexOf("/", head.length - 2) + 1);
}
