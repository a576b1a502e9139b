import type { ProfileTarget } from "./profile_target.ts";
import type { SnippetStep } from "./snippet.ts";

/** Go serves profiles itself; its labels say which samples belong to which trace. */
export function goProfiles({ upload, publicKey }: ProfileTarget): readonly SnippetStep[] {
  return [{
    title: "Go",
    note:
      'With import _ "net/http/pprof" and an HTTP server. In place of profile: heap, allocs, goroutine; mutex and ' +
      "block, with &type=mutex or &type=block added to our address, as their profiles do not say which they are.",
    language: "bash",
    code: `curl -s "http://localhost:6060/debug/pprof/profile?seconds=10" |
  curl --data-binary @- \\
    -H "Authorization: Bearer ${publicKey}" \\
    -H "Content-Type: application/octet-stream" \\
    "${upload}&release=1.0.0"`,
  }, {
    title: "Go: tie samples to their trace",
    note:
      "Samples are labelled while the function runs, in the goroutines that it starts as well. A profile of a single " +
      "request takes &trace_id=… and &span_id=… in its address instead.",
    language: "go",
    code: `labels := pprof.Labels("trace_id", traceID, "span_id", spanID)
pprof.Do(ctx, labels, func(ctx context.Context) {
	handle(ctx)
})`,
  }];
}
