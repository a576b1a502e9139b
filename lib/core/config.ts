/**
 * The only reader of the environment: one record of strings in, one typed, read-only `Config` out.
 * Every wrong value is reported in one sentence that names the variable, what was found and what is allowed.
 */
import manifest from "../../deno.json" with { type: "json" };
import { readByteSize, SIZE_RULE } from "./byte_size.ts";
import { type NamedPlace, readNetwork, readPlace } from "./addresses.ts";
import { type ProxyTrust, readProxyTrust } from "./proxies.ts";
import { smtp, type SmtpConfig } from "./settings/mail.ts";
import {
  ConfigError,
  type Environment,
  flag,
  integer,
  oneOf,
  secret,
  text,
  url,
  wrong,
} from "./settings/read.ts";
import { backup, type BackupConfig, s3, type S3Config } from "./settings/stores.ts";

export { ConfigError, type S3Config, type SmtpConfig };

export interface Config {
  /** Address in DSNs and links; may carry a path prefix. No trailing slash. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  /** Who starts, stops and wakes this process as it likes; null: an operator runs it. */
  readonly platform: "deno-deploy" | null;
  /** PEM files by which this server speaks TLS itself; null: it does not. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** By how many isolates `deno task start` serves. */
  readonly isolates: number;
  readonly dataDir: string;
  /** Largest request body as sent, in bytes. */
  readonly maxEventBytes: number;
  /** Ingest requests a second and project; the burst is twice that. */
  readonly ingestRatePerSec: number;
  readonly retentionDays: number;
  /** Bytes that Postgres and the objects may take together; null: as many as there are. */
  readonly maxDiskBytes: number | null;
  /** Bytes of raw requests that may wait in the object store while Postgres is away. */
  readonly spoolMaxBytes: number;
  /** Bytes of requests that cannot be stored, and wait for somebody to mend what refuses them. */
  readonly setAsideMaxBytes: number;
  /** Bytes of uploaded source maps that an organization may keep, as they are stored. */
  readonly sourceMapsMaxBytes: number;
  /** Largest upload of source maps, as sent. */
  readonly bundleMaxBytes: number;
  readonly databaseUrl: string | null;
  /** Where Deno KV is: a file in the data folder, the server at `kvUrl`, or what the platform has for this app. */
  readonly kv: "file" | "server" | "platform";
  readonly kvUrl: string | null;
  readonly s3: S3Config | null;
  readonly backup: BackupConfig;
  /** First administrator, made at the first start when both are set. */
  readonly admin: { readonly email: string; readonly password: string } | null;
  /** Bootstrap API token with full scope. */
  readonly adminToken: string | null;
  /** What `GET /metrics` asks for; null: it is not there. */
  readonly metricsToken: string | null;
  /** Where own measures and traces go by OTLP; null: nowhere. */
  readonly otlp: OtlpConfig | null;
  /** DSN of the project that is told of own errors, traces and profiles; null: what was chosen on the Instance page. */
  readonly watchDsn: string | null;
  readonly logFormat: "text" | "json";
  /** Whose `X-Forwarded-…` are believed; 0: nobody's. */
  readonly trustProxy: ProxyTrust;
  /** Who may create organizations beside whoever runs the instance. */
  readonly organizationsBy: "admins" | "everybody";
  /** Server that takes notices by mail; null: none are sent. */
  readonly smtp: SmtpConfig | null;
  /** What secrets of channels are sealed with; null: a random key that is kept in KV. */
  readonly secretKey: string | null;
  /** Let notices go to addresses of private networks. */
  readonly allowPrivateWebhooks: boolean;
  /** What monitors may check beyond the public internet. */
  readonly monitorAllow: readonly NamedPlace[];
  /** What is asked whether this server has a network at all, when monitors fail; null: nothing. */
  readonly monitorReference: { readonly host: string; readonly port: number } | null;
  /** Providers of single sign-on beyond the public internet. */
  readonly signInAllow: readonly NamedPlace[];
  /** A reverse proxy signs people in; null: none does. */
  readonly authHeader: AuthHeaderConfig | null;
}

export interface OtlpConfig {
  /** Base address without a slash at its end; `/v1/traces` and `/v1/metrics` are added. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface AuthHeaderConfig {
  /** Of the header with the email address, lower case. */
  readonly name: string;
  /** Networks of the proxies: the TCP peer, whatever `X-Forwarded-For` says. */
  readonly from: readonly string[];
  /** Make an account for an address that has none. */
  readonly mayCreate: boolean;
}

const MAX_EVENT_BYTES = { default: 1_000_000, min: 1_000, max: 200_000_000 };
const INGEST_RATE = { default: 500, min: 1, max: 1_000_000 };
const RETENTION_DAYS = { default: 90, min: 1, max: 3_650 };
const SPOOL_BYTES = { default: 256 * 1024 * 1024, min: 0, max: Number.MAX_SAFE_INTEGER };
const SOURCE_MAPS_BYTES = { default: 10_000_000_000, min: 0, max: Number.MAX_SAFE_INTEGER };
/** Parts of an archive are found by numbers of 32 bits. */
const BUNDLE_BYTES = { default: 256 * 1024 * 1024, min: 1_000_000, max: 2 * 1024 ** 3 };
/** Each takes six connections to Postgres at least, of the hundred that it has by default. */
const MAX_ISOLATES = 16;
/** Postgres has its own part of the cores, and each isolate takes memory. */
const MAX_ISOLATES_BY_ITSELF = 8;
const MIN_PASSWORD_LENGTH = 10;

/**
 * Reads and validates all settings.
 *
 * @param env the environment, usually `Deno.env.toObject()`; empty strings count as not set
 * @throws {ConfigError} for the first wrong value
 */
export function readConfig(env: Environment): Config {
  const port = integer(env, "PORT", { default: 8000, min: 0, max: 65_535 });
  const tls = tlsFiles(env);
  const platform = platformOf(env);
  return Object.freeze({
    port,
    platform,
    tls,
    host: text(env, "HOST") ?? "0.0.0.0",
    isolates: isolates(env),
    baseUrl: baseUrl(env, port, tls !== null),
    dataDir: text(env, "SERVICE_DATA_DIR") ?? "./data",
    maxEventBytes: integer(env, "SERVICE_MAX_EVENT_BYTES", MAX_EVENT_BYTES),
    ingestRatePerSec: integer(env, "SERVICE_INGEST_RATE_PER_SEC", INGEST_RATE),
    retentionDays: integer(env, "SERVICE_RETENTION_DAYS", RETENTION_DAYS),
    maxDiskBytes: maxDisk(env),
    spoolMaxBytes: integer(env, "SERVICE_SPOOL_MAX_BYTES", SPOOL_BYTES),
    setAsideMaxBytes: integer(env, "SERVICE_SET_ASIDE_MAX_BYTES", SPOOL_BYTES),
    sourceMapsMaxBytes: integer(env, "SERVICE_SOURCE_MAPS_MAX_BYTES", SOURCE_MAPS_BYTES),
    bundleMaxBytes: integer(env, "SERVICE_BUNDLE_MAX_BYTES", BUNDLE_BYTES),
    databaseUrl: url(env, "DATABASE_URL", ["postgres:", "postgresql:"]),
    kv: kvUrl(env) !== null ? "server" : platform === null ? "file" : "platform",
    kvUrl: kvUrl(env),
    s3: s3(env),
    backup: backup(env),
    admin: admin(env),
    adminToken: secret(env, "SERVICE_ADMIN_TOKEN"),
    metricsToken: secret(env, "SERVICE_METRICS_TOKEN"),
    otlp: otlp(env),
    watchDsn: watchDsn(env),
    logFormat: oneOf(env, "LOG_FORMAT", ["text", "json"]),
    trustProxy: trustProxy(env),
    organizationsBy: oneOf(env, "SERVICE_ORGANIZATIONS_BY", ["admins", "everybody"]),
    smtp: smtp(env),
    secretKey: secret(env, "SERVICE_SECRET_KEY"),
    allowPrivateWebhooks: flag(env, "SERVICE_ALLOW_PRIVATE_WEBHOOKS"),
    monitorAllow: places(env, "SERVICE_MONITOR_ALLOW"),
    monitorReference: reference(env, "SERVICE_MONITOR_REFERENCE"),
    signInAllow: places(env, "SERVICE_SIGN_IN_ALLOW"),
    authHeader: authHeader(env),
  });
}

/** Less would be taken by empty tables. */
const LEAST_DISK = 100_000_000;

function maxDisk(env: Environment): number | null {
  const value = text(env, "SERVICE_MAX_DISK");
  if (value === null) return null;
  const bytes = readByteSize(value);
  if (bytes !== null && bytes >= LEAST_DISK) return bytes;
  throw wrong("SERVICE_MAX_DISK", value, `${SIZE_RULE}, at least 100MB`);
}

function trustProxy(env: Environment): ProxyTrust {
  const value = text(env, "SERVICE_TRUST_PROXY") ?? "false";
  const trust = readProxyTrust(value);
  if (trust !== null) return trust;
  throw wrong(
    "SERVICE_TRUST_PROXY",
    value,
    "false, true, a number of proxies up to 20, or a list of their networks (10.0.0.0/8,fd00::/8)",
  );
}

/** What a platform must be told, because nothing that lies on its disk stays there. */
const PLATFORM_REQUIRED = ["SERVICE_BASE_URL", "DATABASE_URL", "S3_ENDPOINT", "S3_BUCKET"];

function platformOf(env: Environment): Config["platform"] {
  const isThere = text(env, "DENO_DEPLOY") === "true" && text(env, "SERVICE_PLATFORM") === null;
  const named = isThere ? "deno-deploy" : oneOf(env, "SERVICE_PLATFORM", ["none", "deno-deploy"]);
  if (named === "none") return null;
  const missing = PLATFORM_REQUIRED.filter((name) => text(env, name) === null);
  if (missing.length === 0) return named;
  throw new ConfigError(
    `Cannot start: ${missing.join(", ")} not set, but on Deno Deploy nothing is kept on disk`,
  );
}

/**
 * As many as cores; a Postgres of this machine needs one of them. Where everything shares the one thread of the embedded
 * Postgres one: others only take memory there.
 */
function isolates(env: Environment): number {
  const url = text(env, "DATABASE_URL");
  const cores = navigator.hardwareConcurrency - (url !== null && isOnThisMachine(url) ? 1 : 0);
  const byItself = url === null || platformOf(env) !== null
    ? 1
    : Math.min(Math.max(cores, 1), MAX_ISOLATES_BY_ITSELF);
  return integer(env, "SERVICE_ISOLATES", { default: byItself, min: 1, max: MAX_ISOLATES });
}

/** Whether a database is reached by the loopback, or by a socket of the file system. */
function isOnThisMachine(url: string): boolean {
  const host = /^[a-z]+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/?]*)/i.exec(url)?.[1] ?? "";
  return ["", "localhost", "[::1]"].includes(host) || /^127\.|^%2f/i.test(host);
}

function tlsFiles(env: Environment): Config["tls"] {
  const certFile = text(env, "TLS_CERT");
  const keyFile = text(env, "TLS_KEY");
  if (certFile === null && keyFile === null) return null;
  if (certFile !== null && keyFile !== null) return { certFile, keyFile };
  throw new ConfigError(
    `Cannot start: ${
      certFile === null ? "TLS_CERT" : "TLS_KEY"
    } is not set, but TLS_CERT and TLS_KEY go together`,
  );
}

function baseUrl(env: Environment, port: number, hasTls: boolean): string {
  const value = url(env, "SERVICE_BASE_URL", ["http:", "https:"]);
  if (value === null) return `http${hasTls ? "s" : ""}://localhost:${port || 8000}`;
  if (hasTls && new URL(value).protocol === "http:") {
    throw wrong("SERVICE_BASE_URL", value, "an https:// address, because TLS_CERT is set");
  }
  const { origin, pathname, username, password, search, hash } = new URL(value);
  if (username || password || search || hash) {
    throw wrong(
      "SERVICE_BASE_URL",
      "an address with credentials, query or fragment",
      "scheme, host, port and path",
    );
  }
  return origin + pathname.replace(/\/+$/, "");
}

/** `Deno.openKv()` reads the token from the environment by itself; here it is only missed in time. */
function kvUrl(env: Environment): string | null {
  const value = url(env, "DENO_KV_URL", ["http:", "https:"]);
  if (value !== null && text(env, "DENO_KV_ACCESS_TOKEN") === null) {
    throw new ConfigError(
      "Cannot start: DENO_KV_ACCESS_TOKEN is not set, but the KV server at DENO_KV_URL needs it",
    );
  }
  return value;
}

function admin(env: Environment): Config["admin"] {
  const email = text(env, "SERVICE_ADMIN_EMAIL");
  const password = env["SERVICE_ADMIN_PASSWORD"] || null;
  if (email === null && password === null) return null;
  if (email === null || password === null) {
    const missing = email === null ? "SERVICE_ADMIN_EMAIL" : "SERVICE_ADMIN_PASSWORD";
    throw new ConfigError(
      `Cannot start: ${missing} is not set, but SERVICE_ADMIN_EMAIL and SERVICE_ADMIN_PASSWORD go together`,
    );
  }
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw wrong("SERVICE_ADMIN_EMAIL", email, "a mail address");
  }
  if (password.length < MIN_PASSWORD_LENGTH) {
    throw wrong(
      "SERVICE_ADMIN_PASSWORD",
      `${password.length} characters`,
      `at least ${MIN_PASSWORD_LENGTH}`,
    );
  }
  return { email, password };
}

function otlp(env: Environment): OtlpConfig | null {
  const endpoint = url(env, "SERVICE_OTLP_ENDPOINT", ["http:", "https:"]);
  const pairs = text(env, "SERVICE_OTLP_HEADERS")?.split(",") ?? [];
  if (endpoint === null && pairs.length === 0) return null;
  if (endpoint === null) {
    throw new ConfigError(
      "Cannot start: SERVICE_OTLP_ENDPOINT is not set, but SERVICE_OTLP_HEADERS go there",
    );
  }
  const headers = Object.fromEntries(pairs.map((pair) => {
    const found = /^\s*([\w-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*?)\s*$/.exec(pair);
    // They hold tokens, which are never repeated in a message.
    if (found === null) throw wrong("SERVICE_OTLP_HEADERS", "malformed", "name=value,name=value");
    return [found[1] ?? "", found[2] ?? ""];
  }));
  return { endpoint: endpoint.replace(/\/+$/, ""), headers };
}

function watchDsn(env: Environment): string | null {
  const value = url(env, "SERVICE_WATCH_DSN", ["http:", "https:"]);
  if (value === null) return null;
  const { username, pathname } = new URL(value);
  if (username !== "" && /\/\d+$/.test(pathname)) return value;
  throw wrong("SERVICE_WATCH_DSN", "no DSN", "a DSN, as a project's page of keys shows it");
}

function places(env: Environment, name: string): readonly NamedPlace[] {
  const parts = (text(env, name) ?? "").split(",").map((part) => part.trim()).filter(Boolean);
  return parts.map((part) => {
    const place = readPlace(part);
    if (place !== null) return place;
    throw wrong(name, part, "a list of networks (10.0.0.0/8), hosts, and hosts with a port");
  });
}

function authHeader(env: Environment): AuthHeaderConfig | null {
  const name = text(env, "SERVICE_AUTH_HEADER")?.toLowerCase() ?? null;
  const from = (text(env, "SERVICE_AUTH_HEADER_FROM") ?? "").split(",").map((part) => part.trim())
    .filter(Boolean);
  if (name === null) return null;
  if (!/^[a-z0-9-]{2,64}$/.test(name) || STANDARD_HEADERS.has(name)) {
    throw wrong("SERVICE_AUTH_HEADER", name, "a header of its own, as Remote-Email");
  }
  if (from.length === 0) {
    throw new ConfigError(
      "Cannot start: SERVICE_AUTH_HEADER_FROM is not set, but SERVICE_AUTH_HEADER needs it",
    );
  }
  const mayCreate = flag(env, "SERVICE_AUTH_HEADER_CREATE");
  return { name, from: from.map(networkOf), mayCreate };
}

/** Every browser sends these, or its user chooses them. */
const STANDARD_HEADERS: ReadonlySet<string> = new Set(
  "host cookie origin referer user-agent accept authorization from via forwarded".split(" "),
);

function networkOf(text: string): string {
  const network = readNetwork(text);
  if (network !== null && !network.endsWith("/0")) return network;
  throw wrong("SERVICE_AUTH_HEADER_FROM", text, "a list of addresses and networks of your proxies");
}

function reference(env: Environment, name: string): Config["monitorReference"] {
  const value = text(env, name);
  if (value === null) return null;
  const url = URL.parse(`tcp://${value}`);
  const port = Number(url?.port);
  if (url?.hostname && port > 0 && `${url.hostname}:${url.port}` === value) {
    return { host: url.hostname.replace(/^\[|\]$/g, ""), port };
  }
  throw wrong(name, value, "a host with a port, as 192.0.2.1:443");
}

/** All names that are read here, and by Deno itself for its KV: what looks like one of them and is none is a typo. */
export const SETTING_NAMES: readonly string[] = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "DATABASE_URL",
  "DENO_DEPLOY",
  "DENO_KV_ACCESS_TOKEN",
  "DENO_KV_URL",
  "HOST",
  "LOG_FORMAT",
  "PORT",
  "S3_BUCKET",
  "S3_ENDPOINT",
  "S3_REGION",
  "SERVICE_ADMIN_EMAIL",
  "SERVICE_ADMIN_PASSWORD",
  "SERVICE_ADMIN_TOKEN",
  "SERVICE_ALLOW_PRIVATE_WEBHOOKS",
  "SERVICE_AUTH_HEADER",
  "SERVICE_AUTH_HEADER_CREATE",
  "SERVICE_AUTH_HEADER_FROM",
  "SERVICE_BACKUP_EVERY",
  "SERVICE_BACKUP_KEEP",
  "SERVICE_BACKUP_KEY",
  "SERVICE_BACKUP_S3_ACCESS_KEY_ID",
  "SERVICE_BACKUP_S3_ENDPOINT",
  "SERVICE_BACKUP_S3_REGION",
  "SERVICE_BACKUP_S3_SECRET_ACCESS_KEY",
  "SERVICE_BACKUP_TO",
  "SERVICE_BASE_URL",
  "SERVICE_BUNDLE_MAX_BYTES",
  "SERVICE_DATA_DIR",
  "SERVICE_INGEST_RATE_PER_SEC",
  "SERVICE_ISOLATES",
  "SERVICE_MAX_DISK",
  "SERVICE_MAX_EVENT_BYTES",
  "SERVICE_METRICS_TOKEN",
  "SERVICE_MONITOR_ALLOW",
  "SERVICE_MONITOR_REFERENCE",
  "SERVICE_ORGANIZATIONS_BY",
  "SERVICE_OTLP_ENDPOINT",
  "SERVICE_OTLP_HEADERS",
  "SERVICE_PLATFORM",
  "SERVICE_RETENTION_DAYS",
  "SERVICE_SECRET_KEY",
  "SERVICE_SET_ASIDE_MAX_BYTES",
  "SERVICE_SIGN_IN_ALLOW",
  "SERVICE_SOURCE_MAPS_MAX_BYTES",
  "SERVICE_SPOOL_MAX_BYTES",
  "SERVICE_TRUST_PROXY",
  "SERVICE_WATCH_DSN",
  "SMTP_FROM",
  "SMTP_HOST",
  "SMTP_PASSWORD",
  "SMTP_PORT",
  "SMTP_SECURITY",
  "SMTP_USERNAME",
  "TLS_CERT",
  "TLS_KEY",
];

/** Of this Watchpost, as `0.1.0`. */
export const VERSION: string = manifest.version;
