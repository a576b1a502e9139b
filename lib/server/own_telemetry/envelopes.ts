/** Our own errors and profiles as items of Sentry's protocol, which Watchpost and others take. */
import { VERSION } from "../../core/config.ts";
import { type Bug, type Frame, frameAt } from "./bugs.ts";
import type { CpuProfile } from "./cpu_profile.ts";

/** What programs that send about themselves say they are: Watchpost makes no traces of their requests. */
export const OWN_AGENT = "watchpost-own";

const COMMON = {
  release: `watchpost@${VERSION}`,
  environment: "production",
  sdk: { name: OWN_AGENT, version: VERSION },
};

/** An envelope with one error. */
export function bugEnvelope({ at, where, type, message, frames, tags }: Bug): string {
  return envelope("event", {
    ...COMMON,
    event_id: newId(),
    timestamp: at.getTime() / 1_000,
    platform: "javascript",
    level: "error",
    logger: where,
    tags,
    exception: { values: [{ type, value: message, stacktrace: { frames } }] },
  });
}

/** What V8 shows where no function runs. */
const NO_FUNCTION = /^\((?:root|idle|program)\)$/;

/** An envelope with a chunk of a continuous profile, or null when nothing ran. */
export function profileEnvelope(
  { nodes, samples, timeDeltas, startedAt }: CpuProfile,
  profilerId: string,
): string | null {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children }) => children.map((child) => [child, id])),
  );
  const frames: Frame[] = [];
  const frameOf = new Map<number, number>();
  for (const { id, functionName, url, line, column } of nodes) {
    if (NO_FUNCTION.test(functionName)) continue;
    frameOf.set(id, frames.length);
    const path = url.replace(/^file:\/\//, "");
    frames.push(frameAt(functionName || "(anonymous)", path, line + 1, column + 1));
  }
  const stackIds = nodes.map(({ id }) => id);
  const stacks = stackIds.map((id) => {
    const stack: number[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = frameOf.get(at);
      if (frame !== undefined) stack.push(frame);
    }
    return stack;
  });
  if (!samples.some((id) => frameOf.has(id) && byId.has(id))) return null;
  let time = startedAt;
  const timed = samples.map((id, index) => {
    time += (timeDeltas[index] ?? 0) / 1_000;
    return { stack_id: stackIds.indexOf(id), thread_id: "0", timestamp: time / 1_000 };
  });
  return envelope("profile_chunk", {
    ...COMMON,
    version: "2",
    platform: "node",
    profiler_id: profilerId,
    chunk_id: newId(),
    client_sdk: COMMON.sdk,
    profile: {
      frames,
      stacks,
      samples: timed,
      thread_metadata: { "0": { name: "main" } },
    },
  });
}

function envelope(type: string, payload: object): string {
  const lines = [{ sent_at: new Date().toISOString() }, { type }, payload];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** As Sentry's protocol writes ids. */
export function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
