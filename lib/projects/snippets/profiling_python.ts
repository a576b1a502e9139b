import type { ProfileTarget } from "./profile_target.ts";
import type { SnippetStep } from "./snippet.ts";

/** Python by py-spy, which looks into a running process and writes collapsed stacks. */
export function pythonProfiles({ server, publicKey }: ProfileTarget): SnippetStep {
  return {
    title: "Python",
    note:
      "Looks into a running process and changes nothing in it: pip install py-spy. It writes collapsed stacks, which " +
      "are taken where Pyroscope's agents send theirs. Sentry's SDK, below, ties profiles to their traces.",
    language: "bash",
    code: `py-spy record --pid "$PID" --duration 10 --rate 100 --function \\
  --format raw --output stacks.txt
curl --data-binary @stacks.txt \\
  -H "Authorization: Bearer ${publicKey}" \\
  "${server}/ingest?name=my-service.cpu%7Benv=production%7D&from=now-10s&until=now\
&format=folded&sampleRate=100&spyName=pyspy"`,
  };
}
