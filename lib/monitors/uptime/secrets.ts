/** The secrets of a target: they are sealed beside it, and neither pages nor answers show them. */
import { openValue, sealValue } from "../../accounts/secrets.ts";
import type { Config } from "../../core/config.ts";
import type { Target } from "../probes/target.ts";

/** What sealing needs of the services. */
export interface SealStores {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "secretKey">;
}

/** Stands where a secret is; entered again it keeps the secret. */
export const HIDDEN = "********";

/** Headers whose values are nobody's secret. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-type",
  "origin",
  "pragma",
  "referer",
  "user-agent",
]);

/** The secrets of a target by their places: `header/<name>`, `password`. */
type Secrets = Readonly<Record<string, string>>;

export interface SplitTarget {
  /** With `HIDDEN` in place of each secret. */
  readonly shown: Target;
  readonly secrets: Secrets;
}

/** Takes the secrets out of a target. */
export function splitSecrets(target: Target): SplitTarget {
  if (target.kind !== "http") return { shown: target, secrets: {} };
  const secrets: Record<string, string> = {};
  const headers = target.headers.map(([name, value]): [string, string] => {
    if (OPEN_HEADERS.has(name.toLowerCase()) || value === "") return [name, value];
    secrets[placeOfHeader(name)] = value;
    return [name, HIDDEN];
  });
  if (target.basicAuth === null) return { shown: { ...target, headers }, secrets };
  secrets.password = target.basicAuth.password;
  const basicAuth = { user: target.basicAuth.user, password: HIDDEN };
  return { shown: { ...target, headers, basicAuth }, secrets };
}

/** Puts secrets back where `HIDDEN` stands; one that is not known is empty. */
export function joinSecrets(shown: Target, secrets: Secrets): Target {
  if (shown.kind !== "http") return shown;
  const { basicAuth } = shown;
  return {
    ...shown,
    headers: shown.headers.map(([name, value]) => [
      name,
      value === HIDDEN ? secrets[placeOfHeader(name)] ?? "" : value,
    ]),
    basicAuth: basicAuth?.password === HIDDEN
      ? { ...basicAuth, password: secrets.password ?? "" }
      : basicAuth,
  };
}

/** Whether somebody entered `HIDDEN` where it is kept. */
export function keepsSecrets(target: Target): boolean {
  return target.kind === "http" && (target.basicAuth?.password === HIDDEN ||
    target.headers.some(([, value]) => value === HIDDEN));
}

/** The target as it can be brought elsewhere, where nobody knows what is hidden. */
export function withoutSecrets(target: Target): Target {
  if (target.kind !== "http") return target;
  return {
    ...target,
    headers: target.headers.filter(([, value]) => value !== HIDDEN),
    basicAuth: target.basicAuth?.password === HIDDEN ? null : target.basicAuth,
  };
}

/**
 * Secrets go where they went before: with them kept, the target may not be pointed at another host, whose owner would
 * get them.
 */
export function isSameReceiver(one: Target, other: Target): boolean {
  return one.kind === "http" && other.kind === "http" &&
    new URL(one.url).origin === new URL(other.url).origin;
}

function placeOfHeader(name: string): string {
  return `header/${name.toLowerCase()}`;
}

/** Seals the secrets of a monitor; null when it has none. */
export async function sealSecrets(
  { kv, config }: SealStores,
  projectId: string,
  monitorId: string,
  secrets: Secrets,
): Promise<Uint8Array | null> {
  if (Object.keys(secrets).length === 0) return null;
  return await sealValue({ kv, config }, placeOf(projectId, monitorId), secrets);
}

/** Opens what `sealSecrets()` made; null when the key of this instance is another one now. */
export async function openSecrets(
  { kv, config }: SealStores,
  { projectId, monitorId, sealed }: {
    readonly projectId: string;
    readonly monitorId: string;
    readonly sealed: Uint8Array | null;
  },
): Promise<Secrets | null> {
  if (sealed === null) return {};
  return await openValue<Secrets>({ kv, config }, placeOf(projectId, monitorId), sealed);
}

function placeOf(projectId: string, monitorId: string): string {
  return `uptime/${projectId}/${monitorId}`;
}

/** Shorter ones stand in any text. */
const LEAST_HIDDEN = 4;

/** A function that hides the secrets of a target in a text of its server, which may repeat them. */
export function hidingOf(target: Target): (text: string) => string {
  if (target.kind !== "http") return (text) => text;
  const { secrets } = splitSecrets(target);
  const login = target.basicAuth;
  const forms = [
    ...Object.values(secrets).flatMap((secret) => [secret, ...secret.split(/\s+/)]),
    ...login === null ? [] : [base64(`${login.user}:${login.password}`)],
  ].filter((form) => form.length >= LEAST_HIDDEN)
    .flatMap((form) => [form, encodeURIComponent(form), JSON.stringify(form).slice(1, -1)]);
  const all = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => all.reduce((shown, form) => shown.replaceAll(form, HIDDEN), text);
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
