import { otlpTarget } from "@/lib/accounts/keys.ts";
import type { Snippet, SnippetStep } from "./sdks.ts";

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

/** Sentry's SDKs profile what they trace. */
function profilesBySdk(dsn: string): readonly SnippetStep[] {
  return [{
    title: "Node.js with Sentry's SDK",
    note:
      "npm install @sentry/profiling-node. Profiles run while there is a trace, and are found in it. " +
      "Older versions want profilesSampleRate: 1.0 in place of the last two options.",
    language: "javascript",
    code: `import * as Sentry from "@sentry/node";
import { nodeProfilingIntegration } from "@sentry/profiling-node";

Sentry.init({
  dsn: "${dsn}",
  integrations: [nodeProfilingIntegration()],
  tracesSampleRate: 1.0,
  profileSessionSampleRate: 1.0,
  profileLifecycle: "trace",
});`,
  }, {
    title: "Python with Sentry's SDK",
    note:
      "With profiles_sample_rate=1.0 in place of the last two options, each transaction has a profile of its own.",
    language: "python",
    code: `import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    traces_sample_rate=1.0,
    profile_session_sample_rate=1.0,
    profile_lifecycle="trace",
)`,
  }];
}

/** Agents that push by themselves. */
function profilesByAgent({ server, publicKey }: ProfileTarget): readonly SnippetStep[] {
  return [{
    title: "Pyroscope's agents",
    note:
      "Those that push to /ingest, as Pyroscope's packages for Node.js, Go and Ruby do; the key may also be the password of " +
      "Basic authentication. Tags env and version become environment and release.",
    language: "javascript",
    code: `import Pyroscope from "@pyroscope/nodejs";

Pyroscope.init({
  appName: "my-service",
  serverAddress: "${server}",
  authToken: "${publicKey}",
  tags: { env: "production", version: "1.0.0" },
});
Pyroscope.start();`,
  }, {
    title: "OpenTelemetry: profiles through a Collector",
    note:
      "Still in development there: the Collector is started with --feature-gates=service.profilesSupport.",
    language: "text",
    code: `exporters:
  otlphttp/watchpost:
    endpoint: ${server}
    profiles_endpoint: ${server}/v1development/profiles
    headers:
      Authorization: Bearer ${publicKey}

service:
  pipelines:
    profiles:
      receivers: [otlp]
      exporters: [otlphttp/watchpost]`,
  }];
}

/** Go serves profiles itself; its labels say which samples belong to which trace. */
function goProfiles({ upload, publicKey }: ProfileTarget): readonly SnippetStep[] {
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

/** Node by Datadog's profiler, which writes pprof. */
function nodeProfiles({ upload, publicKey }: ProfileTarget): readonly SnippetStep[] {
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

/** Python by py-spy, which looks into a running process and writes collapsed stacks. */
function pythonProfiles({ server, publicKey }: ProfileTarget): SnippetStep {
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

/** Rust by pprof-rs. */
function rustProfiles({ upload, publicKey }: ProfileTarget): readonly SnippetStep[] {
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

/** Where profiles go, and with which key. */
interface ProfileTarget {
  /** Address of uploads, with the parameters that everybody sends. */
  readonly upload: string;
  /** Base address, to which agents add their own paths. */
  readonly server: string;
  readonly publicKey: string;
}

/** Reads a DSN as those who send profiles want to be told. @throws {TypeError} when it is no URL */
function profileTarget(dsn: string): ProfileTarget {
  const { endpoint, publicKey } = otlpTarget(dsn);
  const parameters = "service=my-service&environment=production";
  return {
    upload: `${endpoint}/api/v1/profiles/pprof?${parameters}`,
    server: endpoint,
    publicKey,
  };
}
