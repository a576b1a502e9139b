import { PprofBuilder, type PprofHead } from "../../formats/pprof/encode.ts";
import { SDK_COMMENT } from "../../formats/pprof/sdk_comment.ts";
import { NO_STACK } from "../trees/profile_frames.ts";
import { boundedStacks } from "./export_size.ts";
import type { Frame, StackProfile } from "../trees/stack_profile.ts";

/** What the stacks themselves do not say. */
export type StackHead = Omit<PprofHead, "sampleTypes" | "durationNanos">;

/**
 * Stacks as a pprof with all their types, in plain protobuf. `go tool pprof` finds the same values in it; read back it
 * gives the same stacks.
 *
 * @throws {ExportTooLarge} when all stacks together have too many frames
 */
export function toPprof(stacks: StackProfile, head: StackHead): Uint8Array {
  const { types, frames, parents, nodeFrames, selfs, durationNanos } = stacks;
  const hasValues = (node: number) => selfs.some((column) => column[node] !== 0n);
  boundedStacks(stacks, hasValues);
  // Without it modules would be taken for paths of binaries, and nobody would know what is own code.
  const isMarked = frames.some(({ isInApp, module }) => isInApp !== null || /[/\\]/.test(module));
  const comments = new Set([...head.comments ?? [], ...(isMarked ? [SDK_COMMENT] : [])]);
  const builder = new PprofBuilder({
    ...head,
    sampleTypes: types,
    durationNanos,
    comments: [...comments],
  });
  const locations = frames.map((frame, place) =>
    place === 0 || frame.name === NO_STACK.name ? 0 : locationOf(builder, frame)
  );
  for (let node = 1; node < parents.length; node++) {
    if (!hasValues(node)) continue;
    const values = selfs.map((column) => column[node] as bigint);
    const stack: number[] = [];
    for (let at = node; at !== 0; at = parents[at] as number) {
      const location = locations[nodeFrames[at] as number] as number;
      // Samples without a stack have none again.
      if (location !== 0) stack.push(location);
    }
    builder.sample(stack, values);
  }
  return builder.toBytes();
}

function locationOf(builder: PprofBuilder, { name, file, module, line, isInApp }: Frame): number {
  const id = builder.function(name, file, { startLine: line });
  const buildId = isInApp === null ? "" : isInApp ? "app" : "library";
  const mapping = module === "" && buildId === "" ? 0 : builder.mapping(module, buildId);
  return builder.location([{ function: id, line, column: 0 }], { mapping });
}
