/** The Helm chart, rendered and held to the settings that the code reads and to how it ends. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { readConfig, VERSION } from "../../lib/core/config.ts";
import { stopTimes } from "../../lib/server/listen.ts";
import { canRender, CHART, type ChartObject, renderChart } from "../support/render_chart.ts";
import { isRead, startTask } from "../support/start_task.ts";

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}

interface Deployment {
  readonly replicas: number;
  readonly strategy: { readonly type: string };
  readonly template: {
    readonly spec: {
      readonly terminationGracePeriodSeconds: number;
      readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number };
      readonly containers: readonly [Container];
      readonly topologySpreadConstraints?: readonly unknown[];
    };
  };
}

const ignore = !canRender;
const EXTERNAL = {
  externalStores: {
    enabled: true,
    secretName: "stores",
    kvUrl: "http://kv:4512",
    s3: { endpoint: "https://s3.example.com", bucket: "watchpost", region: "eu-central-1" },
  },
};
/** Of a secret, long enough for each; an address where one is wanted. */
const secretValue = (name: string) =>
  name === "DATABASE_URL" ? "postgres://watchpost@postgres/watchpost" : "0123456789abcdef";

async function objects(values = {}): Promise<ReadonlyMap<string, ChartObject>> {
  const rendered = await renderChart(values);
  if ("refusal" in rendered) throw new Error(rendered.refusal);
  return rendered.objects;
}

async function deployment(values = {}): Promise<Deployment> {
  // Written by our own templates, whose form the tests below hold.
  return (await objects(values)).get("Deployment")?.spec as Deployment;
}

async function refusal(values: Record<string, unknown>): Promise<string> {
  const rendered = await renderChart(values);
  return "refusal" in rendered ? rendered.refusal : "";
}

function environment({ template }: Deployment): Record<string, string> {
  const [{ env }] = template.spec.containers;
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? secretValue(name)]));
}

Deno.test("the chart is of this version", () => {
  const { version, appVersion } = parse(Deno.readTextFileSync(`${CHART}/Chart.yaml`));
  assert.deepEqual([version, appVersion], [VERSION, VERSION]);
});

Deno.test("every value that a template names is in values.yaml, and every bracket is closed", () => {
  const values = parse(Deno.readTextFileSync(`${CHART}/values.yaml`));
  for (const { name } of Deno.readDirSync(`${CHART}/templates`)) {
    const text = Deno.readTextFileSync(`${CHART}/templates/${name}`);
    assert.equal(text.split("{{").length, text.split("}}").length, name);
    for (const [path] of text.matchAll(/(?<=\.Values\.)[\w.]+/g)) {
      const found = path.split(".").reduce((at, part) => at?.[part], values);
      assert.notEqual(found, undefined, `${name}: ${path}`);
    }
  }
});

Deno.test("one pod with a volume has every store in it", { ignore }, async () => {
  const made = await objects();
  assert.deepEqual([...made.keys()].sort(), ["Deployment", "PersistentVolumeClaim", "Service"]);
  const { replicas, strategy, template } = await deployment();
  assert.deepEqual([replicas, strategy.type], [1, "Recreate"]);
  const [{ image, volumeMounts }] = template.spec.containers;
  assert.equal(image, `watchpost:${VERSION}`);
  assert.deepEqual(volumeMounts.map(({ mountPath }) => mountPath), ["/tmp", "/data"]);
});

Deno.test("several pods share external stores, are spread, and are not all ended at once", {
  ignore,
}, async () => {
  const values = { ...EXTERNAL, replicas: 3 };
  const made = await objects(values);
  assert.deepEqual([...made.keys()].sort(), ["Deployment", "PodDisruptionBudget", "Service"]);
  const { maxUnavailable } = made.get("PodDisruptionBudget")?.spec as { maxUnavailable: number };
  assert.equal(maxUnavailable, 1);
  const { replicas, strategy, template } = await deployment(values);
  assert.deepEqual([replicas, strategy.type], [3, "RollingUpdate"]);
  assert.equal(template.spec.topologySpreadConstraints?.length, 2);
});

Deno.test("what does not go together is refused with a sentence", { ignore }, async () => {
  assert.match(
    await refusal({ replicas: 2 }),
    /replicas may be more than 1 only with externalStores/,
  );
  const { secretName: _, ...noSecret } = EXTERNAL.externalStores;
  assert.match(await refusal({ externalStores: noSecret }), /secretName names no secret/);
  assert.match(await refusal({ terminationGracePeriodSeconds: 14 }), /is too short/);
  assert.match(await refusal({ ingress: { enabled: true } }), /ingress\.host is empty/);
});

Deno.test(
  "pods get settings that there are, with values that they may have",
  { ignore },
  async () => {
    const secrets = { SERVICE_SECRET_KEY: { name: "watchpost", key: "secretKey" } };
    for (const values of [{}, { ...EXTERNAL, replicas: 2, secrets }]) {
      const env = environment(await deployment(values));
      assert.deepEqual(Object.keys(env).filter((name) => !isRead(name)), []);
      const { databaseUrl, kv, s3 } = readConfig(env);
      const isExternal = "replicas" in values;
      assert.deepEqual(
        [databaseUrl !== null, kv, s3 !== null],
        [isExternal, isExternal ? "server" : "file", isExternal],
      );
      // The image has those for embedded stores.
      const flags = isExternal ? startTask("start:postgres").env.DENO_V8_FLAGS : undefined;
      assert.equal(env.DENO_V8_FLAGS, flags);
    }
  },
);

Deno.test("no secret stands in the deployment", { ignore }, async () => {
  const [{ env }] = (await deployment(EXTERNAL)).template.spec.containers;
  const secret = [
    "DATABASE_URL",
    "DENO_KV_ACCESS_TOKEN",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
  ];
  const references = secret.map((key) => env.find(({ name }) => name === key)?.valueFrom);
  assert.deepEqual(references, secret.map((key) => ({ secretKeyRef: { name: "stores", key } })));
});

Deno.test(
  "probes ask whether the process lives, not for its stores: without Postgres it still takes requests",
  { ignore },
  async () => {
    const [container] = (await deployment()).template.spec.containers;
    const { startupProbe, livenessProbe, readinessProbe, ports } = container;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      assert.deepEqual(httpGet, { path: "/healthz", port: "http" });
    }
    assert.ok(Deno.statSync("routes/healthz.ts").isFile);
    assert.deepEqual(ports, [{ name: "http", containerPort: readConfig({}).port }]);
  },
);

Deno.test("a pod has time for its pause and its end, as nobody in particular who writes no image", {
  ignore,
}, async () => {
  const { spec } = (await deployment()).template;
  const [{ lifecycle, securityContext }] = spec.containers;
  const neededMs = lifecycle.preStop.sleep.seconds * 1_000 + stopTimes({ platform: null }).exitMs;
  assert.ok(spec.terminationGracePeriodSeconds * 1_000 > neededMs);
  assert.equal(spec.securityContext.runAsNonRoot, true);
  assert.ok(
    Deno.readTextFileSync("Dockerfile").includes(`USER ${spec.securityContext.runAsUser}:`),
  );
  assert.equal(securityContext.readOnlyRootFilesystem, true);
});
