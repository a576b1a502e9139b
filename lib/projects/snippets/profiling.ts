import { profilesBySdk } from "./profiling_sdks.ts";
import { goProfiles } from "./profiling_go.ts";
import { nodeProfiles } from "./profiling_node.ts";
import { pythonProfiles } from "./profiling_python.ts";
import { rustProfiles } from "./profiling_rust.ts";
import { profilesByAgent } from "./profiling_agents.ts";
import { profileTarget } from "./profile_target.ts";
import type { Snippet } from "./snippet.ts";

/** Profiles: pprof from programs and agents, and what SDKs and Collectors send. */
export const profiling: Snippet = {
  sdk: "pprof",
  key: "server",
  isKeyStrict: true,
  isChoice: true,
  steps: (dsn) => {
    const target = profileTarget(dsn);
    return [
      ...goProfiles(target),
      ...nodeProfiles(target),
      pythonProfiles(target),
      ...rustProfiles(target),
      ...profilesBySdk(dsn),
      ...profilesByAgent(target),
    ];
  },
};
