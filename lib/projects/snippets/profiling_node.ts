import type { ProfileTarget } from "./profile_target.ts";
import type { SnippetStep } from "./snippet.ts";

/** Node by Datadog's profiler, which writes pprof. */
export function nodeProfiles({ upload, publicKey }: ProfileTarget): readonly SnippetStep[] {
  return [{
    title: "Node.js",
    note:
      "Takes ten seconds of every minute: npm install @datadog/pprof. Where a request begins, " +
      "time.setContext({ trace_id, span_id }) ties what follows to its trace.",
    language: "javascript",
    code: `import { encode, time } from "@datadog/pprof";

async function profile() {
  time.start({ withContexts: true, collectCpuTime: true });
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const taken = time.stop(false, ({ context }) => context?.context ?? {});
  await fetch("${upload}&release=1.0.0", {
    method: "POST",
    headers: {
      authorization: "Bearer ${publicKey}",
      "content-type": "application/octet-stream",
    },
    body: await encode(taken),
  });
}

setInterval(() => profile().catch(console.error), 60_000).unref();`,
  }];
}
