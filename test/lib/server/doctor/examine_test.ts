import assert from "node:assert/strict";
import { checkMail } from "@/lib/server/doctor/mail.ts";
import { checkOutside, serviceAddress } from "@/lib/server/doctor/outside.ts";
import { checkPostgresServer } from "@/lib/server/doctor/postgres.ts";
import { readConfig } from "@/lib/core/config.ts";
import { beats } from "@/lib/server/own_health/beats.ts";
import { mailServer, smtpTo } from "@/test/support/mail_server.ts";
import { freePort, startServer } from "@/test/support/server.ts";
import { tempDir } from "@/test/support/temp_dir.ts";

const ROOT = new URL("../../../../", import.meta.url);

interface Report {
  readonly code: number;
  readonly findings: readonly { check: string; level: string; meaning: string }[];
}

/** As an operator asks it. */
async function doctor(env: Record<string, string>, ...args: string[]): Promise<Report> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "doctor.ts", "--json", ...args],
    cwd: ROOT,
    env,
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(text.startsWith("{"), text + new TextDecoder().decode(stderr));
  return { code, findings: JSON.parse(text).findings };
}

function levelsOf({ findings }: Report, check: string): string[] {
  return findings.filter((each) => each.check === check).map(({ level }) => level);
}

Deno.test("before the first start the doctor finds no problem, and makes nothing", async () => {
  await using dir = await tempDir();
  const env = {
    SERVICE_DATA_DIR: dir.join("data"),
    SERVICE_BASE_URL: "http://127.0.0.1:9",
    HOST: "127.0.0.1",
    PORT: String(freePort()),
  };
  const report = await doctor(env);
  assert.equal(report.code, 0, JSON.stringify(report.findings));
  for (const check of ["settings", "data folder", "disk", "kv", "postgres", "objects", "service"]) {
    assert.deepEqual(levelsOf(report, check), ["ok"], check);
  }
  assert.deepEqual(levelsOf(report, "mail"), ["warning"]);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(dir.path)), []);
});

Deno.test("beside a running service, and after its end, the doctor finds all stores usable", async () => {
  await using dir = await tempDir();
  const dataDir = dir.join("data");
  const server = await startServer({}, { dataDir, env: {}, [Symbol.asyncDispose]: async () => {} });
  const env = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_BASE_URL: server.url,
    HOST: "127.0.0.1",
    PORT: new URL(server.url).port,
  };
  const running = await doctor(env);
  const stopped = await server.stop().then(() => doctor(env));

  assert.equal(running.code, 0, JSON.stringify(running.findings));
  for (const check of ["service", "kv", "postgres", "objects", "address", "streams"]) {
    assert.deepEqual(levelsOf(running, check), ["ok"], check);
  }
  assert.equal(stopped.code, 0, JSON.stringify(stopped.findings));
  for (const check of ["service", "kv", "postgres", "migrations", "objects"]) {
    assert.deepEqual(levelsOf(stopped, check), ["ok"], check);
  }
  assert.match(
    stopped.findings.find(({ check }) => check === "kv")?.meaning ?? "",
    /written, read and deleted/,
  );
});

Deno.test("stores that cannot be reached are problems, each with its reason", async () => {
  await using dir = await tempDir();
  const report = await doctor({
    SERVICE_DATA_DIR: dir.path,
    SERVICE_BASE_URL: "http://127.0.0.1:9",
    PORT: String(freePort()),
    DATABASE_URL: `postgres://nobody@127.0.0.1:${freePort()}/none`,
    S3_ENDPOINT: `http://127.0.0.1:${freePort()}`,
    S3_BUCKET: "none",
    AWS_ACCESS_KEY_ID: "none",
    AWS_SECRET_ACCESS_KEY: "none",
  });
  assert.equal(report.code, 1);
  assert.deepEqual(levelsOf(report, "postgres"), ["problem"]);
  assert.deepEqual(levelsOf(report, "objects"), ["problem"]);
  assert.deepEqual(levelsOf(report, "kv"), ["ok"]);
});

Deno.test({
  name: "a Postgres server is looked at whole: version, clock, migrations, connections",
  ignore: !Deno.env.get("TEST_DATABASE_URL"),
  async fn() {
    const findings = await checkPostgresServer(Deno.env.get("TEST_DATABASE_URL") ?? "", 1);
    assert.deepEqual(findings.filter(({ level }) => level === "problem"), []);
    assert.ok(findings.some(({ check, level }) => check === "clock" && level === "ok"));
    assert.ok(findings.some(({ meaning }) => meaning.startsWith("Postgres ")));
  },
});

Deno.test("the mail server is greeted and signed in at, and gets a mail only when somebody wants it", async () => {
  const login = { user: "watchpost", password: "hunter2" };
  await using server = await mailServer({ login });
  const baseUrl = "https://watch.example.com";
  const smtp = { ...smtpTo(server), login };

  const greeted = await checkMail({ smtp, baseUrl }, null);
  assert.deepEqual(greeted.map(({ level }) => level), ["ok"]);
  assert.equal(server.mails.length, 0);

  const sent = await checkMail({ smtp, baseUrl }, "operator@example.com");
  assert.deepEqual(sent.map(({ level }) => level), ["ok", "ok"]);
  assert.deepEqual(server.mails.map(({ to }) => to), [["operator@example.com"]]);

  const wrong = { ...smtp, login: { ...login, password: "wrong" } };
  const [refused] = await checkMail({ smtp: wrong, baseUrl }, null);
  assert.equal(refused?.level, "problem");
  assert.match(refused?.meaning ?? "", /Authentication failed/);
});

/** What a proxy in front of the service does with its answers. */
type Proxy = (answer: Response) => Promise<Response> | Response;

async function outside(proxy: Proxy) {
  const TLS = new URL("test/fixtures/tls/", ROOT);
  const cert = await Deno.readTextFile(new URL("certificate.pem", TLS));
  const key = await Deno.readTextFile(new URL("key.pem", TLS));
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", cert, key, onListen() {} },
    (request) =>
      proxy(request.url.endsWith("?stream") ? beats() : Response.json({ status: "alive" })),
  );
  const config = readConfig({ SERVICE_BASE_URL: `https://localhost:${server.addr.port}` });
  return await checkOutside(config, cert);
}

Deno.test("from outside, the certificate is judged and streams come at once", async () => {
  const findings = await outside((answer) => answer);
  const levels = Object.fromEntries(findings.map(({ check, level }) => [check, level]));
  assert.deepEqual(levels, { address: "ok", certificate: "ok", streams: "ok" });
});

Deno.test("a proxy that holds streams back, and one with a wrong clock, are found out", async () => {
  const findings = await outside(async (answer) => {
    const whole = await answer.bytes();
    return new Response(whole, { headers: { date: "Thu, 01 Jan 2015 00:00:00 GMT" } });
  });
  const levels = Object.fromEntries(findings.map(({ check, level }) => [check, level]));
  assert.deepEqual(levels, {
    address: "ok",
    certificate: "ok",
    clock: "problem",
    streams: "warning",
  });
});

Deno.test("something else at the address of the service is a problem", async () => {
  const findings = await outside(() => new Response("Welcome to nginx!"));
  assert.deepEqual(findings.map(({ check, level }) => [check, level]).at(-1), [
    "address",
    "problem",
  ]);
});

Deno.test("a service that speaks TLS itself is found on this machine, whatever name its certificate is for", async () => {
  const files = new URL("test/fixtures/tls/", ROOT);
  const [certFile, keyFile] = [new URL("certificate.pem", files), new URL("key.pem", files)];
  const port = freePort();
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: String(port),
    SERVICE_BASE_URL: "https://watch.invalid",
    TLS_CERT: certFile.pathname,
    TLS_KEY: keyFile.pathname,
  });
  assert.equal(await serviceAddress(config), null);
  await using _server = Deno.serve({
    port,
    hostname: "127.0.0.1",
    cert: await Deno.readTextFile(certFile),
    key: await Deno.readTextFile(keyFile),
    onListen() {},
  }, () => Response.json({ status: "alive" }));
  assert.equal(await serviceAddress(config), `https://127.0.0.1:${port}`);
});
