import type { ProfileTarget } from "./profile_target.ts";
import type { SnippetStep } from "./snippet.ts";

/** Rust by pprof-rs. */
export function rustProfiles({ upload, publicKey }: ProfileTarget): readonly SnippetStep[] {
  return [{
    title: "Rust",
    note: "cargo add pprof --features protobuf-codec",
    language: "text",
    code: `use pprof::protos::Message;

let guard = pprof::ProfilerGuardBuilder::default().frequency(100).build()?;
// … ten seconds of work …
let profile = guard.report().build()?.pprof()?;
std::fs::write("profile.pb", profile.write_to_bytes()?)?;`,
  }, {
    title: "Rust: upload it",
    note:
      "Any pprof that is a file goes the same way, whichever language it is of, compressed or not.",
    language: "bash",
    code: `curl --data-binary @profile.pb \\
  -H "Authorization: Bearer ${publicKey}" \\
  -H "Content-Type: application/octet-stream" \\
  "${upload}"`,
  }];
}
