/**
 * Shops that count with OpenTelemetry's SDKs, in each encoding and temporality, with both kinds of histograms: what
 * they counted is what the query API answers.
 */
import assert from "node:assert/strict";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { telemetrygen } from "./clients/go_tools.ts";
import { otelEnv, publicKeyOf, RESOURCE } from "./clients/otel_env.ts";
import { askMetrics, isAnswered, totalOf } from "./clients/metrics_story.ts";
import {
  goService,
  nodeService,
  type Program,
  pythonService,
  runProgram,
} from "./clients/services.ts";
import { notStored } from "./clients/stored.ts";
import { watchedLink } from "./clients/watched_link.ts";

const [node, python, go, generator] = await Promise.all([
  nodeService("metrics_node"),
  pythonService("metrics_python"),
  goService("metrics_go"),
  telemetrygen(),
]);

interface Client {
  readonly name: string;
  readonly program: Program | null;
  readonly protocols: readonly ("http/protobuf" | "http/json")[];
}

const CLIENTS: readonly Client[] = [
  { name: "Node", program: node, protocols: ["http/protobuf", "http/json"] },
  { name: "Python", program: python, protocols: ["http/protobuf", "http/json"] },
  { name: "Go", program: go, protocols: ["http/protobuf"] },
];

const HISTOGRAMS = {
  explicit: "explicit_bucket_histogram",
  exponential: "base2_exponential_bucket_histogram",
} as const;

/** JSON tells the same as protobuf: there, each is seen once. */
const COMBINATIONS = {
  "http/protobuf": [
    ["cumulative", "explicit"],
    ["cumulative", "exponential"],
    ["delta", "explicit"],
    ["delta", "exponential"],
  ],
  "http/json": [["cumulative", "exponential"], ["delta", "explicit"]],
} as const;

for (const { name, program, protocols } of CLIENTS) {
  for (const protocol of protocols) {
    Deno.test({
      name: `what OpenTelemetry in ${name} counts and exports as ${protocol} is what is answered`,
      ignore: program === null,
      async fn() {
        if (program === null) return;
        for (const [temporality, histograms] of COMBINATIONS[protocol]) {
          await using app = await listeningApp();
          await using link = watchedLink(app.url);
          await runProgram(program, {
            ...otelEnv({
              endpoint: link.url,
              publicKey: publicKeyOf(app.serverDsn),
              protocol,
              isGzipped: true,
            }),
            OTEL_METRICS_EXPORTER: "otlp",
            OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: temporality,
            OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: HISTOGRAMS[histograms],
            HISTOGRAMS: histograms,
          });
          const types = new Set(link.exchanges.map(({ contentType }) => contentType));
          const type = protocol === "http/json" ? "application/json" : "application/x-protobuf";
          assert.deepEqual([...types], [type]);
          await isAnswered(await askMetrics(app), RESOURCE);
          assert.deepEqual(await notStored(app), []);
        }
      },
    });
  }
}

Deno.test({
  name: "what telemetrygen counts is what is answered",
  ignore: generator === null,
  async fn() {
    if (generator === null) return;
    await using app = await listeningApp();
    await generate(app, generator, ["--metric-type", "Sum", "--otlp-metric-name", "generated.sum"]);
    await generate(app, generator, [
      ...["--metric-type", "Gauge", "--otlp-metric-name", "generated.gauge"],
    ]);
    const ask = await askMetrics(app);
    const sum = await ask({ metric: "generated.sum", aggregation: "increase" });
    assert.equal(sum.queries[0]?.kind, "counter");
    assert.notEqual(totalOf(sum), null);
    const gauge = await ask({ metric: "generated.gauge", aggregation: "count" });
    assert.equal(totalOf(gauge), 20);
    assert.deepEqual(await notStored(app), []);
  },
});

async function generate(app: ListeningApp, generator: Program, args: string[]): Promise<void> {
  const to = [
    ...["--otlp-http", "--otlp-insecure", "--rate", "100", "--metrics", "20"],
    ...["--service", "generated", "--otlp-endpoint", new URL(app.url).host],
    ...["--otlp-header", `Authorization="Bearer ${publicKeyOf(app.serverDsn)}"`],
  ];
  await runProgram({ ...generator, args: ["metrics", ...args, ...to] });
}
