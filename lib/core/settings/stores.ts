/** Settings of S3, and of backups, which have a place of their own or share it. */
import { ConfigError, type Environment, integer, secret, text, url } from "./read.ts";

export interface S3Config {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface BackupConfig {
  /** Where the service puts backups by itself: a folder, or `s3://bucket/prefix`; null: nowhere. */
  readonly to: string | null;
  readonly everyHours: number;
  /** How many of them stay. */
  readonly keep: number;
  /** What they are encrypted with; null: they are not. */
  readonly key: string | null;
  /** Where their buckets are; null: it is not known. */
  readonly s3: Omit<S3Config, "bucket"> | null;
}

const BACKUP_EVERY_HOURS = { default: 24, min: 1, max: 720 };
const BACKUP_KEEP = { default: 14, min: 1, max: 1_000 };

const S3_REQUIRED = ["S3_ENDPOINT", "S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];

/** Where objects go; null: into the data folder. @throws {ConfigError} */
export function s3(env: Environment): S3Config | null {
  const endpoint = url(env, "S3_ENDPOINT", ["http:", "https:"]);
  const bucket = text(env, "S3_BUCKET");
  // AWS_* alone are common in shells; only S3_* says that somebody wants the S3 store.
  if (endpoint === null && bucket === null) return null;
  const missing = S3_REQUIRED.filter((name) => text(env, name) === null);
  if (endpoint === null || bucket === null || missing.length > 0) {
    throw new ConfigError(
      `Cannot start: ${missing.join(", ")} not set, but the S3 store needs ${
        S3_REQUIRED.join(", ")
      }`,
    );
  }
  return {
    endpoint,
    bucket,
    region: text(env, "S3_REGION") ?? "us-east-1",
    accessKeyId: text(env, "AWS_ACCESS_KEY_ID") ?? "",
    secretAccessKey: text(env, "AWS_SECRET_ACCESS_KEY") ?? "",
  };
}

/** What is said of backups. @throws {ConfigError} */
export function backup(env: Environment): BackupConfig {
  const own = (name: string, shared: string) => text(env, name) ?? text(env, shared);
  const endpoint = url(env, "SERVICE_BACKUP_S3_ENDPOINT", ["http:", "https:"]) ??
    text(env, "S3_ENDPOINT");
  const accessKeyId = own("SERVICE_BACKUP_S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID");
  const secretAccessKey = own("SERVICE_BACKUP_S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY");
  const region = own("SERVICE_BACKUP_S3_REGION", "S3_REGION") ?? "us-east-1";
  const isKnown = endpoint !== null && accessKeyId !== null && secretAccessKey !== null;
  return {
    to: text(env, "SERVICE_BACKUP_TO"),
    everyHours: integer(env, "SERVICE_BACKUP_EVERY", BACKUP_EVERY_HOURS),
    keep: integer(env, "SERVICE_BACKUP_KEEP", BACKUP_KEEP),
    key: secret(env, "SERVICE_BACKUP_KEY"),
    s3: isKnown ? { endpoint, region, accessKeyId, secretAccessKey } : null,
  };
}
