/** Who is told of our own errors, work and profiles: a project of this instance, or one elsewhere. */
import { keyOf } from "../../accounts/kv.ts";
import { listKeys, otlpTarget } from "../../accounts/keys.ts";
import { findProject, type Project } from "../../accounts/projects.ts";
import { VERSION } from "../../core/config.ts";
import { receive } from "../../ingest/pipeline.ts";
import { otlpTraces } from "../../ingest/protocols/otlp.ts";
import { sentryEnvelope } from "../../ingest/protocols/sentry.ts";
import type { Services } from "../services.ts";
import { OWN_AGENT } from "./envelopes.ts";
import type { OwnPath } from "./outbox.ts";

/** A project that takes what Watchpost tells of itself. */
export interface Receiver {
  /** Null: at an instance elsewhere. */
  readonly ownProjectId: string | null;
  /** @returns the status of the answer */
  send(piece: { readonly path: OwnPath; readonly body: string }): Promise<number>;
}

/** What `keyOf.watch()` holds. */
export interface WatchChoice {
  readonly projectId: string;
  /** False: it was switched off, and goes on there when it is switched on. */
  readonly isOn: boolean;
}

/** What was chosen on the Instance page; null: nothing ever. */
export async function watchChoice(kv: Deno.Kv): Promise<WatchChoice | null> {
  return (await kv.get<WatchChoice>(keyOf.watch())).value;
}

/** The project of this instance that is told; null: none, or it is gone. */
export async function watchProject(kv: Deno.Kv): Promise<Project | null> {
  const chosen = await watchChoice(kv);
  return chosen?.isOn ? await findProject(kv, chosen.projectId) : null;
}

/** Who is told now; `SERVICE_WATCH_DSN` goes before what was chosen on the Instance page. Null: nobody. */
export async function findReceiver(services: Services): Promise<Receiver | null> {
  const { config: { watchDsn, baseUrl }, kv } = services;
  if (watchDsn !== null) {
    const { endpoint, publicKey } = otlpTarget(watchDsn);
    const projectId = new URL(watchDsn).pathname.split("/").at(-1) ?? "";
    // By the way of all clients, which it goes as well: only nothing may be told of it.
    const ownProjectId = endpoint === baseUrl ? projectId : null;
    return { ownProjectId, send: byNetwork(endpoint, projectId, publicKey) };
  }
  const project = await watchProject(kv);
  if (project === null) return null;
  const key = (await listKeys(kv, project.id)).find(({ type, isActive }) =>
    type === "server" && isActive
  );
  if (key === undefined) return null;
  return { ownProjectId: project.id, send: byHand(services, project.id, key.publicKey) };
}

const LIMIT_MS = 5_000;

/** To an address that the operator has set. @param headers beside those of the body */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { ...bodyHeaders(url), "user-agent": `${OWN_AGENT}/${VERSION}`, ...headers },
    redirect: "manual",
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  await response.body?.cancel();
  return response.status;
}

function bodyHeaders(path: string): Record<string, string> {
  const isEnvelope = path.endsWith("envelope/");
  return { "content-type": isEnvelope ? "application/x-sentry-envelope" : "application/json" };
}

function byNetwork(endpoint: string, projectId: string, publicKey: string): Receiver["send"] {
  return ({ path, body }) => post(addressOf(endpoint, projectId, path), body, auth(publicKey));
}

/** Straight to the pipeline, which needs no way to this instance from outside. */
function byHand(services: Services, projectId: string, publicKey: string): Receiver["send"] {
  return async ({ path, body }) => {
    const url = new URL(addressOf(services.config.baseUrl, projectId, path));
    const headers = { ...bodyHeaders(url.pathname), ...auth(publicKey) };
    const request = new Request(url, { method: "POST", body, headers });
    const protocol = path === "envelope" ? sentryEnvelope : otlpTraces;
    const arrival = { url, projectId: path === "envelope" ? projectId : null, clientAddress: null };
    const response = await receive(request, protocol, services, arrival);
    await response.body?.cancel();
    return response.status;
  };
}

function addressOf(endpoint: string, projectId: string, path: OwnPath): string {
  return path === "envelope" ? `${endpoint}/api/${projectId}/envelope/` : `${endpoint}/${path}`;
}

/** As Sentry's protocol wants it, and as OTLP does. */
function auth(publicKey: string): Record<string, string> {
  const sentry = `Sentry sentry_version=7, sentry_client=${OWN_AGENT}/${VERSION}`;
  return {
    authorization: `Bearer ${publicKey}`,
    "x-sentry-auth": `${sentry}, sentry_key=${publicKey}`,
  };
}
