import assert from "node:assert/strict";
import { type Config, readConfig, SETTING_NAMES } from "@/lib/core/config.ts";

type Environment = Record<string, string | undefined>;

/** The value of one setting. */
function read<Key extends keyof Config>(key: Key, env: Environment): Config[Key] {
  return readConfig(env)[key];
}

function refuses(env: Environment, message: string): void {
  assert.throws(() => readConfig(env), {
    name: "ConfigError",
    message: `Cannot start: ${message}`,
  });
}

const S3 = {
  S3_ENDPOINT: "http://s3:9000",
  S3_BUCKET: "watchpost",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
};

Deno.test("readConfig() of an empty environment gives the documented defaults", () => {
  assert.deepEqual(readConfig({}), {
    backup: { to: null, everyHours: 24, keep: 14, key: null, s3: null },
    baseUrl: "http://localhost:8000",
    host: "0.0.0.0",
    port: 8000,
    platform: null,
    tls: null,
    isolates: 1,
    dataDir: "./data",
    maxEventBytes: 1_000_000,
    ingestRatePerSec: 500,
    retentionDays: 90,
    maxDiskBytes: null,
    spoolMaxBytes: 268_435_456,
    setAsideMaxBytes: 268_435_456,
    sourceMapsMaxBytes: 10_000_000_000,
    bundleMaxBytes: 268_435_456,
    databaseUrl: null,
    kv: "file",
    kvUrl: null,
    s3: null,
    admin: null,
    adminToken: null,
    metricsToken: null,
    otlp: null,
    watchDsn: null,
    logFormat: "text",
    trustProxy: 0,
    organizationsBy: "admins",
    smtp: null,
    secretKey: null,
    allowPrivateWebhooks: false,
    monitorAllow: [],
    monitorReference: null,
    signInAllow: [],
    authHeader: null,
  });
});

Deno.test("readConfig() takes empty and blank values for not set", () => {
  const names = ["PORT", "HOST", "SERVICE_BASE_URL", "DATABASE_URL", "S3_ENDPOINT", "LOG_FORMAT"];
  const blank = Object.fromEntries(names.map((name, i) => [name, i % 2 === 0 ? "" : "  "]));
  assert.deepEqual(readConfig(blank), readConfig({}));
});

Deno.test("a Postgres server of the same machine has a core of its own", () => {
  const less = Math.min(8, Math.max(1, navigator.hardwareConcurrency - 1));
  for (const host of ["localhost", "me:secret@127.0.0.1:5433", "[::1]:5432", "", "%2Frun%2Fpg"]) {
    assert.equal(read("isolates", { DATABASE_URL: `postgres://${host}/watchpost` }), less, host);
  }
});

Deno.test("with a Postgres server as many isolates serve as there are cores, else one, unless somebody says so", () => {
  const DATABASE_URL = "postgres://db.example/watchpost";
  const cores = navigator.hardwareConcurrency;
  assert.equal(read("isolates", { DATABASE_URL }), Math.min(8, cores));
  assert.equal(read("isolates", { DATABASE_URL, SERVICE_ISOLATES: "1" }), 1);
  assert.equal(read("isolates", { SERVICE_ISOLATES: "3" }), 3);
  refuses(
    { SERVICE_ISOLATES: "0" },
    "SERVICE_ISOLATES is 0, allowed is a whole number from 1 to 16",
  );
});

Deno.test("readConfig() takes headers for OTLP beside its endpoint, and a DSN, and repeats no key of a wrong one", () => {
  const SERVICE_OTLP_ENDPOINT = "https://otel.example.com:4318/";
  const SERVICE_OTLP_HEADERS = "authorization=Bearer abc==, x-tenant = 7";
  assert.deepEqual(read("otlp", { SERVICE_OTLP_ENDPOINT, SERVICE_OTLP_HEADERS }), {
    endpoint: "https://otel.example.com:4318",
    headers: { authorization: "Bearer abc==", "x-tenant": "7" },
  });
  refuses(
    { SERVICE_OTLP_ENDPOINT, SERVICE_OTLP_HEADERS: "secret" },
    "SERVICE_OTLP_HEADERS is malformed, allowed is name=value,name=value",
  );
  refuses(
    { SERVICE_OTLP_HEADERS },
    "SERVICE_OTLP_ENDPOINT is not set, but SERVICE_OTLP_HEADERS go there",
  );
  const dsn = "https://key@watch.example.com/prefix/7";
  assert.equal(read("watchDsn", { SERVICE_WATCH_DSN: dsn }), dsn);
  refuses(
    { SERVICE_WATCH_DSN: "https://key@watch.example.com/" },
    "SERVICE_WATCH_DSN is no DSN, allowed is a DSN, as a project's page of keys shows it",
  );
});

Deno.test("readConfig() trims what it reads", () => {
  assert.equal(read("port", { PORT: " 9000 " }), 9000);
  assert.equal(read("host", { HOST: "127.0.0.1\n" }), "127.0.0.1");
});

Deno.test("the result cannot be changed", () => {
  const config = readConfig({});
  assert.throws(() => Object.assign(config, { port: 1 }), TypeError);
});

Deno.test("numbers outside of their range, or no numbers at all, are refused by name", () => {
  assert.equal(read("port", { PORT: "0" }), 0);
  assert.equal(read("port", { PORT: "65535" }), 65_535);
  refuses({ PORT: "65536" }, "PORT is 65536, allowed is a whole number from 0 to 65535");
  refuses({ PORT: "-1" }, "PORT is -1, allowed is a whole number from 0 to 65535");
  refuses({ PORT: "80a" }, "PORT is 80a, allowed is a whole number from 0 to 65535");
  refuses({ PORT: "1e3" }, "PORT is 1e3, allowed is a whole number from 0 to 65535");
  refuses({ PORT: "80.5" }, "PORT is 80.5, allowed is a whole number from 0 to 65535");
  refuses(
    { SERVICE_MAX_EVENT_BYTES: "10" },
    "SERVICE_MAX_EVENT_BYTES is 10, allowed is a whole number from 1000 to 200000000",
  );
  refuses(
    { SERVICE_INGEST_RATE_PER_SEC: "0" },
    "SERVICE_INGEST_RATE_PER_SEC is 0, allowed is a whole number from 1 to 1000000",
  );
  refuses(
    { SERVICE_RETENTION_DAYS: "forever" },
    "SERVICE_RETENTION_DAYS is forever, allowed is a whole number from 1 to 3650",
  );
  assert.equal(read("spoolMaxBytes", { SERVICE_SPOOL_MAX_BYTES: "0" }), 0);
  refuses(
    { SERVICE_SPOOL_MAX_BYTES: "9007199254740992" },
    "SERVICE_SPOOL_MAX_BYTES is 9007199254740992, " +
      "allowed is a whole number from 0 to 9007199254740991",
  );
});

Deno.test("the disk budget is a size, and not so small that nothing would fit", () => {
  assert.equal(read("maxDiskBytes", { SERVICE_MAX_DISK: "200GiB" }), 200 * 2 ** 30);
  for (const value of ["50MB", "much"]) {
    refuses(
      { SERVICE_MAX_DISK: value },
      `SERVICE_MAX_DISK is ${value}, allowed is bytes, as 1500000, 200GB (of 1000) or 200GiB (of 1024), at least 100MB`,
    );
  }
});

Deno.test("choices are refused with what is allowed", () => {
  assert.equal(read("logFormat", { LOG_FORMAT: "json" }), "json");
  refuses({ LOG_FORMAT: "JSON" }, "LOG_FORMAT is JSON, allowed is one of text, json");
  assert.equal(read("allowPrivateWebhooks", { SERVICE_ALLOW_PRIVATE_WEBHOOKS: "true" }), true);
  assert.equal(read("allowPrivateWebhooks", { SERVICE_ALLOW_PRIVATE_WEBHOOKS: "1" }), true);
  assert.equal(read("allowPrivateWebhooks", { SERVICE_ALLOW_PRIVATE_WEBHOOKS: "0" }), false);
  refuses(
    { SERVICE_ALLOW_PRIVATE_WEBHOOKS: "yes" },
    "SERVICE_ALLOW_PRIVATE_WEBHOOKS is yes, allowed is one of false, true, 0, 1",
  );
});

Deno.test("trusted proxies are a number of them or their networks, and never everybody", () => {
  const trusted = (value: string) => read("trustProxy", { SERVICE_TRUST_PROXY: value });
  assert.equal(trusted("false"), 0);
  assert.equal(trusted("0"), 0);
  assert.equal(trusted("true"), 1);
  assert.equal(trusted("1"), 1);
  assert.equal(trusted("2"), 2);
  const networks = ["10.0.0.0/8", "fd00::/8", "192.0.2.7/32"];
  assert.deepEqual(trusted("10.0.0.0/8, fd00::/8,192.0.2.7"), networks);
  for (const value of ["yes", "-1", "8000", "10.0.0.0/8,", "10.0.0.0/33", "0.0.0.0/0", "::/0"]) {
    refuses(
      { SERVICE_TRUST_PROXY: value },
      `SERVICE_TRUST_PROXY is ${value}, allowed is false, true, a number of proxies up to 20, ` +
        "or a list of their networks (10.0.0.0/8,fd00::/8)",
    );
  }
});

Deno.test("the base URL follows the port, keeps a path and loses trailing slashes", () => {
  const baseUrl = (value: string) => read("baseUrl", { SERVICE_BASE_URL: value });
  assert.equal(read("baseUrl", { PORT: "9000" }), "http://localhost:9000");
  assert.equal(read("baseUrl", { PORT: "0" }), "http://localhost:8000");
  assert.equal(baseUrl("https://errors.example.com"), "https://errors.example.com");
  assert.equal(baseUrl("https://errors.example.com/"), "https://errors.example.com");
  assert.equal(baseUrl("https://example.com:8443/errors//"), "https://example.com:8443/errors");
  assert.equal(baseUrl("https://EXAMPLE.com:443/?"), "https://example.com");
});

Deno.test("on Deno Deploy, found or named, KV is the platform's and the other stores have to be named", () => {
  const stores = {
    ...S3,
    DATABASE_URL: "postgres://db/watchpost",
    SERVICE_BASE_URL: "https://watch.example",
  };
  const found = { ...stores, DENO_DEPLOY: "true" };
  assert.equal(read("platform", found), "deno-deploy");
  assert.equal(read("kv", found), "platform");
  assert.equal(read("isolates", found), 1);
  const server = { DENO_KV_URL: "https://kv.example", DENO_KV_ACCESS_TOKEN: "token" };
  assert.equal(read("kv", { ...found, ...server }), "server");
  assert.equal(read("kv", server), "server");
  assert.equal(read("kv", { ...stores, SERVICE_PLATFORM: "deno-deploy" }), "platform");
  assert.equal(read("kv", { ...found, SERVICE_PLATFORM: "none" }), "file");
  refuses(
    { DENO_DEPLOY: "true", SERVICE_BASE_URL: "https://watch.example" },
    "DATABASE_URL, S3_ENDPOINT, S3_BUCKET not set, but on Deno Deploy nothing is kept on disk",
  );
});

Deno.test("with a certificate of its own Watchpost is at https, and both files are needed", () => {
  const TLS = { TLS_CERT: "/etc/tls/cert.pem", TLS_KEY: "/etc/tls/key.pem" };
  assert.deepEqual(read("tls", TLS), { certFile: TLS.TLS_CERT, keyFile: TLS.TLS_KEY });
  assert.equal(read("baseUrl", { ...TLS, PORT: "8443" }), "https://localhost:8443");
  assert.equal(
    read("baseUrl", { ...TLS, SERVICE_BASE_URL: "https://watch.example" }),
    "https://watch.example",
  );
  refuses(
    { ...TLS, SERVICE_BASE_URL: "http://watch.example" },
    "SERVICE_BASE_URL is http://watch.example, allowed is an https:// address, because TLS_CERT is set",
  );
  refuses({ TLS_KEY: "key.pem" }, "TLS_CERT is not set, but TLS_CERT and TLS_KEY go together");
  refuses({ TLS_CERT: "cert.pem" }, "TLS_KEY is not set, but TLS_CERT and TLS_KEY go together");
});

Deno.test("a base URL that cannot stand in a DSN is refused", () => {
  refuses(
    { SERVICE_BASE_URL: "errors.example.com" },
    "SERVICE_BASE_URL is text that is no URL, " +
      "allowed is an address that starts with http:// or https://",
  );
  refuses(
    { SERVICE_BASE_URL: "ftp://example.com" },
    "SERVICE_BASE_URL is ftp://…, allowed is an address that starts with http:// or https://",
  );
  for (const value of ["https://key@example.com", "https://example.com/?a=1", "https://a.b/#c"]) {
    refuses(
      { SERVICE_BASE_URL: value },
      "SERVICE_BASE_URL is an address with credentials, query or fragment, " +
        "allowed is scheme, host, port and path",
    );
  }
});

Deno.test("addresses of stores are checked and their passwords never told", () => {
  const url = "postgresql://ann:secret@db:5432/watchpost?sslmode=require";
  assert.equal(read("databaseUrl", { DATABASE_URL: url }), url);
  refuses(
    { DATABASE_URL: "mysql://ann:secret@db/x" },
    "DATABASE_URL is mysql://…, allowed is an address that starts with postgres:// or postgresql://",
  );
  refuses(
    { DATABASE_URL: "ann:se cret@db" },
    "DATABASE_URL is ann://…, allowed is an address that starts with postgres:// or postgresql://",
  );
});

Deno.test("a KV server needs its access token", () => {
  const env = { DENO_KV_URL: "https://kv.example.com", DENO_KV_ACCESS_TOKEN: "token" };
  assert.equal(read("kvUrl", env), "https://kv.example.com");
  assert.equal(read("kvUrl", { DENO_KV_ACCESS_TOKEN: "token" }), null);
  refuses(
    { DENO_KV_URL: "https://kv.example.com" },
    "DENO_KV_ACCESS_TOKEN is not set, but the KV server at DENO_KV_URL needs it",
  );
});

Deno.test("S3 is wanted when one of S3_ENDPOINT and S3_BUCKET is set, and then needs all of it", () => {
  assert.deepEqual(read("s3", S3), {
    endpoint: "http://s3:9000",
    bucket: "watchpost",
    region: "us-east-1",
    accessKeyId: "id",
    secretAccessKey: "secret",
  });
  assert.equal(read("s3", { ...S3, S3_REGION: "eu-west-3" })?.region, "eu-west-3");
  assert.equal(read("s3", { ...S3, S3_ENDPOINT: undefined, S3_BUCKET: undefined }), null);
  refuses(
    { S3_BUCKET: "watchpost", AWS_ACCESS_KEY_ID: "id" },
    "S3_ENDPOINT, AWS_SECRET_ACCESS_KEY not set, but the S3 store needs " +
      "S3_ENDPOINT, S3_BUCKET, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY",
  );
});

Deno.test("the first administrator needs mail and password, and a password of ten characters", () => {
  const env = { SERVICE_ADMIN_EMAIL: "ann@example.com", SERVICE_ADMIN_PASSWORD: "0123456789" };
  assert.deepEqual(read("admin", env), { email: "ann@example.com", password: "0123456789" });
  refuses(
    { ...env, SERVICE_ADMIN_PASSWORD: "" },
    "SERVICE_ADMIN_PASSWORD is not set, " +
      "but SERVICE_ADMIN_EMAIL and SERVICE_ADMIN_PASSWORD go together",
  );
  refuses(
    { ...env, SERVICE_ADMIN_EMAIL: "" },
    "SERVICE_ADMIN_EMAIL is not set, " +
      "but SERVICE_ADMIN_EMAIL and SERVICE_ADMIN_PASSWORD go together",
  );
  refuses(
    { ...env, SERVICE_ADMIN_EMAIL: "ann" },
    "SERVICE_ADMIN_EMAIL is ann, allowed is a mail address",
  );
  refuses(
    { ...env, SERVICE_ADMIN_PASSWORD: "123456789" },
    "SERVICE_ADMIN_PASSWORD is 9 characters, allowed is at least 10",
  );
});

Deno.test("a short bootstrap token is refused without telling it", () => {
  const token = "0123456789abcdef";
  assert.equal(read("adminToken", { SERVICE_ADMIN_TOKEN: token }), token);
  refuses(
    { SERVICE_ADMIN_TOKEN: "0123456789abcde" },
    "SERVICE_ADMIN_TOKEN is 15 characters, allowed is at least 16",
  );
});

Deno.test("readConfig() knows the mail server from its host on", () => {
  const SMTP = { SMTP_HOST: "mail.example.com", SMTP_FROM: "Watchpost <alerts@example.com>" };
  assert.deepEqual(read("smtp", SMTP), {
    host: "mail.example.com",
    port: 587,
    security: "starttls",
    login: null,
    from: "Watchpost <alerts@example.com>",
  });
  assert.equal(read("smtp", { ...SMTP, SMTP_PORT: "465" })?.security, "tls");
  assert.equal(
    read("smtp", { ...SMTP, SMTP_PORT: "465", SMTP_SECURITY: "none" })?.security,
    "none",
  );
  const login = { SMTP_USERNAME: "alerts", SMTP_PASSWORD: " with blanks " };
  assert.deepEqual(read("smtp", { ...SMTP, ...login })?.login, {
    user: "alerts",
    password: " with blanks ",
  });
  assert.equal(read("smtp", { SMTP_FROM: "alerts@example.com" }), null);
});

Deno.test("readConfig() refuses a mail server that could not be used", () => {
  const host = { SMTP_HOST: "mail.example.com" };
  refuses(host, "SMTP_FROM is not set, but mail by SMTP_HOST needs it");
  refuses(
    { ...host, SMTP_FROM: "alerts" },
    "SMTP_FROM is alerts, allowed is a mail address, or a name and <address>",
  );
  const named = { ...host, SMTP_FROM: "alerts@example.com" };
  refuses(
    { ...named, SMTP_USERNAME: "alerts" },
    "SMTP_PASSWORD is not set, but SMTP_USERNAME and SMTP_PASSWORD go together",
  );
  refuses(
    { ...named, SMTP_SECURITY: "ssl" },
    "SMTP_SECURITY is ssl, allowed is one of starttls, tls, none",
  );
});

Deno.test("readConfig() refuses a secret key that could be guessed, without repeating it", () => {
  refuses(
    { SERVICE_SECRET_KEY: "tooshort" },
    "SERVICE_SECRET_KEY is 8 characters, allowed is at least 16",
  );
});

Deno.test("the reference of monitors is a host with a port", () => {
  const of = (value: string) => readConfig({ SERVICE_MONITOR_REFERENCE: value }).monitorReference;
  assert.deepEqual(of("192.0.2.1:443"), { host: "192.0.2.1", port: 443 });
  assert.deepEqual(of("[2001:db8::1]:53"), { host: "2001:db8::1", port: 53 });
  assert.equal(of(""), null);
  for (const wrong of ["192.0.2.1", "https://example.com", "host:0", "a b:1"]) {
    assert.throws(() => of(wrong), /SERVICE_MONITOR_REFERENCE/);
  }
});

Deno.test("a header that signs people in needs the addresses of its proxies, and is none that browsers send", () => {
  const read = (env: Record<string, string>) => readConfig(env).authHeader;
  assert.equal(read({}), null);
  assert.deepEqual(
    read({ SERVICE_AUTH_HEADER: "Remote-Email", SERVICE_AUTH_HEADER_FROM: "10.0.0.5, fd00::/8" }),
    { name: "remote-email", from: ["10.0.0.5/32", "fd00::/8"], mayCreate: false },
  );
  const from = "10.0.0.5";
  for (
    const env of [
      { SERVICE_AUTH_HEADER: "Remote-Email" },
      { SERVICE_AUTH_HEADER: "Cookie", SERVICE_AUTH_HEADER_FROM: from },
      { SERVICE_AUTH_HEADER: "a b", SERVICE_AUTH_HEADER_FROM: from },
      { SERVICE_AUTH_HEADER: "Remote-Email", SERVICE_AUTH_HEADER_FROM: "proxy.internal" },
      { SERVICE_AUTH_HEADER: "Remote-Email", SERVICE_AUTH_HEADER_FROM: "0.0.0.0/0" },
    ]
  ) {
    assert.throws(() => read(env), /SERVICE_AUTH_HEADER/);
  }
});

Deno.test("every setting that is read is among those whose typos are found, and in docs/settings.md", async () => {
  const names = ["config.ts", "settings/mail.ts", "settings/stores.ts"];
  const sources = await Promise.all(
    names.map((name) => Deno.readTextFile(new URL(`../../../lib/core/${name}`, import.meta.url))),
  );
  const reader = sources.map((source) => source.split("export const SETTING_NAMES")[0]).join();
  const read = reader.match(/(?<=")(?:[A-Z0-9]+_[A-Z0-9_]+|PORT|HOST)(?=")/g) ?? [];
  assert.deepEqual([...new Set(read)].sort(), SETTING_NAMES);
  const document = await Deno.readTextFile(new URL("../../../docs/settings.md", import.meta.url));
  const undocumented = SETTING_NAMES.filter((name) => !document.includes(`\`${name}\``));
  assert.deepEqual(undocumented, []);
});
