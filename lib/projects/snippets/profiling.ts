import { snippet } from "./snippet.ts";

/** Profiles: pprof from programs and agents, and what SDKs and Collectors send. */
export const profiling = snippet({
  platform: "profiling",
  label: "Profiling",
  sdk: "pprof",
  key: "server",
  isKeyStrict: true,
  isChoice: true,
}, ({ dsn, endpoint, publicKey, upload }) =>
  String.raw`
## Go
With import _ "net/http/pprof" and an HTTP server. In place of profile: heap, allocs, goroutine;
mutex and block, with &type=mutex or &type=block added to our address, as their profiles do not say
which they are.
~~~bash
curl -s "http://localhost:6060/debug/pprof/profile?seconds=10" |
  curl --data-binary @- \
    -H "Authorization: Bearer ${publicKey}" \
    -H "Content-Type: application/octet-stream" \
    "${upload}&release=1.0.0"
~~~
## Go: tie samples to their trace
Samples are labelled while the function runs, in the goroutines that it starts as well. A profile of
a single request takes &trace_id=… and &span_id=… in its address instead.
~~~go
labels := pprof.Labels("trace_id", traceID, "span_id", spanID)
pprof.Do(ctx, labels, func(ctx context.Context) {
	handle(ctx)
})
~~~
## Node.js
Takes ten seconds of every minute: npm install @datadog/pprof. Where a request begins,
time.setContext({ trace_id, span_id }) ties what follows to its trace.
~~~javascript
import { encode, time } from "@datadog/pprof";

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

setInterval(() => profile().catch(console.error), 60_000).unref();
~~~
## Python
Looks into a running process and changes nothing in it: pip install py-spy. It writes collapsed
stacks, which are taken where Pyroscope's agents send theirs. Sentry's SDK, below, ties profiles to
their traces.
~~~bash
py-spy record --pid "$PID" --duration 10 --rate 100 --function \
  --format raw --output stacks.txt
curl --data-binary @stacks.txt \
  -H "Authorization: Bearer ${publicKey}" \
  "${endpoint}/ingest?name=my-service.cpu%7Benv=production%7D&from=now-10s&until=now&format=folded&sampleRate=100&spyName=pyspy"
~~~
## Rust
cargo add pprof --features protobuf-codec
~~~text
use pprof::protos::Message;

let guard = pprof::ProfilerGuardBuilder::default().frequency(100).build()?;
// … ten seconds of work …
let profile = guard.report().build()?.pprof()?;
std::fs::write("profile.pb", profile.write_to_bytes()?)?;
~~~
## Rust: upload it
Any pprof that is a file goes the same way, whichever language it is of, compressed or not.
~~~bash
curl --data-binary @profile.pb \
  -H "Authorization: Bearer ${publicKey}" \
  -H "Content-Type: application/octet-stream" \
  "${upload}"
~~~
## Node.js with Sentry's SDK
npm install @sentry/profiling-node. Profiles run while there is a trace, and are found in it. Older
versions want profilesSampleRate: 1.0 in place of the last two options.
~~~javascript
import * as Sentry from "@sentry/node";
import { nodeProfilingIntegration } from "@sentry/profiling-node";

Sentry.init({
  dsn: "${dsn}",
  integrations: [nodeProfilingIntegration()],
  tracesSampleRate: 1.0,
  profileSessionSampleRate: 1.0,
  profileLifecycle: "trace",
});
~~~
## Python with Sentry's SDK
With profiles_sample_rate=1.0 in place of the last two options, each transaction has a profile of
its own.
~~~python
import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    traces_sample_rate=1.0,
    profile_session_sample_rate=1.0,
    profile_lifecycle="trace",
)
~~~
## Pyroscope's agents
Those that push to /ingest, as Pyroscope's packages for Node.js, Go and Ruby do; the key may also be
the password of Basic authentication. Tags env and version become environment and release.
~~~javascript
import Pyroscope from "@pyroscope/nodejs";

Pyroscope.init({
  appName: "my-service",
  serverAddress: "${endpoint}",
  authToken: "${publicKey}",
  tags: { env: "production", version: "1.0.0" },
});
Pyroscope.start();
~~~
## OpenTelemetry: profiles through a Collector
Still in development there: the Collector is started with --feature-gates=service.profilesSupport.
~~~text
exporters:
  otlphttp/watchpost:
    endpoint: ${endpoint}
    profiles_endpoint: ${endpoint}/v1development/profiles
    headers:
      Authorization: Bearer ${publicKey}

service:
  pipelines:
    profiles:
      receivers: [otlp]
      exporters: [otlphttp/watchpost]
~~~
`);
