/** The files of Docker Compose, held to the settings that the code reads and to how it ends. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { readConfig, VERSION } from "../../lib/core/config.ts";
import { stopTimes } from "../../lib/server/listen.ts";
import { isRead, startTask } from "../support/start_task.ts";

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly user?: string;
  readonly cap_drop?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>> & { readonly watchpost: Service };
  readonly volumes: Readonly<Record<string, null>>;
}

const FILES = ["compose.yaml", "compose.external.yaml"];
const FLAGS_OF_POSTGRES = startTask("start:postgres").env.DENO_V8_FLAGS;
/** Of `.env`, long enough for every secret. */
const SECRET = "0123456789abcdef0123456789abcdef";
const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

function compose(file: string): Compose {
  return parse(Deno.readTextFileSync(file));
}

/** What Watchpost would see: variables with their default, or with what `.env` has to say. */
function environment({ environment = {} }: Service): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(VARIABLE, (_, __, kind, text) => kind === "-" ? text : SECRET),
    ]),
  );
}

for (const file of FILES) {
  Deno.test(`${file} sets only settings that there are, to values that they may have`, () => {
    const env = environment(compose(file).services.watchpost);
    assert.deepEqual(Object.keys(env).filter((name) => !isRead(name)), []);
    const config = readConfig(env);
    assert.equal(config.baseUrl, "http://localhost:8000");
    // The image has those for embedded stores.
    const flags = config.databaseUrl === null ? undefined : FLAGS_OF_POSTGRES;
    assert.equal(env.DENO_V8_FLAGS, flags);
  });

  Deno.test(`${file} publishes the port of the settings, and lets Watchpost end in time`, () => {
    const { ports = [], stop_grace_period: grace = "" } = compose(file).services.watchpost;
    assert.deepEqual(ports.map((port) => port.split(":").at(-1)), [String(readConfig({}).port)]);
    assert.match(grace, /^\d+s$/);
    assert.ok(parseInt(grace) * 1_000 > stopTimes({ platform: null }).exitMs);
  });

  Deno.test(`${file} runs this version as nobody in particular, who can write its volume and /tmp alone`, () => {
    const { watchpost } = compose(file).services;
    assert.equal(watchpost.image, `watchpost:${VERSION}`);
    assert.deepEqual(
      [watchpost.read_only, watchpost.tmpfs, watchpost.cap_drop],
      [true, ["/tmp"], ["ALL"]],
    );
    assert.ok(Deno.readTextFileSync("Dockerfile").includes(`USER ${watchpost.user}`));
  });

  Deno.test(`${file} names images by a tag that stays, and volumes that it declares`, () => {
    const { services, volumes } = compose(file);
    const named = Object.values(services).flatMap(({ volumes = [] }) => volumes)
      .map((volume) => volume.split(":")[0] ?? "");
    assert.deepEqual([...new Set(named)].sort(), Object.keys(volumes).sort());
    for (const { image } of Object.values(services)) {
      assert.match(image, /:[^:/]*\d[^:/]*$/, image);
    }
  });

  Deno.test(`${file} waits for the health only of services that tell it`, () => {
    const { services } = compose(file);
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        if (condition === "service_healthy") assert.ok(services[name]?.healthcheck, name);
        else assert.equal(condition, "service_completed_successfully");
      }
    }
  });

  Deno.test(`${file} asks for nothing in .env that docs/install.md does not name`, () => {
    const page = Deno.readTextFileSync("docs/install.md");
    for (const [, name] of Deno.readTextFileSync(file).matchAll(VARIABLE)) {
      assert.ok(page.includes(name ?? ""), name);
    }
  });
}

Deno.test("compose.yaml keeps everything in the volume of the image", () => {
  const { watchpost } = compose("compose.yaml").services;
  assert.deepEqual(watchpost.volumes, ["data:/data"]);
  const { databaseUrl, kv, s3 } = readConfig(environment(watchpost));
  assert.deepEqual([databaseUrl, kv, s3], [null, "file", null]);
});

Deno.test("compose.external.yaml gives each store the address and the secret that Watchpost uses", () => {
  const { watchpost, postgres, kv, objects } = compose("compose.external.yaml").services;
  const config = readConfig(environment(watchpost));
  const database = new URL(config.databaseUrl ?? "");
  assert.deepEqual(
    [database.hostname, database.username, database.password, database.pathname],
    [
      "postgres",
      postgres?.environment?.POSTGRES_USER,
      SECRET,
      `/${postgres?.environment?.POSTGRES_DB}`,
    ],
  );
  assert.equal(new URL(config.kvUrl ?? "").hostname, "kv");
  assert.equal(
    kv?.environment?.DENO_KV_ACCESS_TOKEN,
    watchpost.environment?.DENO_KV_ACCESS_TOKEN,
  );
  assert.equal(new URL(config.s3?.endpoint ?? "").hostname, "objects");
  assert.deepEqual(
    [objects?.environment?.MINIO_ROOT_USER, objects?.environment?.MINIO_ROOT_PASSWORD],
    [watchpost.environment?.AWS_ACCESS_KEY_ID, watchpost.environment?.AWS_SECRET_ACCESS_KEY],
  );
  const made = Deno.readTextFileSync("compose.external.yaml");
  assert.ok(made.includes(`mc mb --ignore-existing objects/${config.s3?.bucket}`));
});
