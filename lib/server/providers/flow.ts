/** To a provider and back: what a browser is sent for, and what becomes of who comes back. */
import { linkIdentity, listIdentities } from "../../accounts/providers/identities.ts";
import { type Arrival, arrive } from "../../accounts/providers/arrival.ts";
import {
  type Attempt,
  ATTEMPT_MS,
  type Purpose,
  spendOnce,
  type Stranger,
} from "../../accounts/providers/attempts.ts";
import { rememberSid } from "../../accounts/providers/back_channel.ts";
import {
  type Answered,
  Cancelled,
  finishHandshake,
  startHandshake,
} from "../../accounts/providers/protocol.ts";
import { findProvider, type Provider, providerPath } from "../../accounts/providers/provider.ts";
import { ProviderFailure } from "../../accounts/providers/provider_fetch.ts";
import { addAudit } from "../../accounts/audit.ts";
import { hasManagedMembership } from "../../accounts/providers/memberships.ts";
import { addressGroup, countAttempt } from "../../accounts/attempts.ts";
import { newSecret } from "../../accounts/secrets.ts";
import type { User } from "../../accounts/users.ts";
import { InvalidInput } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import { HOUR_MS } from "../../core/time.ts";
import { tellAccount } from "../../notifications/mod.ts";
import { redirectWithFlash } from "../../ui/cookies.ts";
import { formatDuration } from "../../ui/format.ts";
import type { State } from "../define.ts";
import { hasInviteAt } from "./invites.ts";
import { completeSignIn } from "../sign_in.ts";
import {
  attemptCookies,
  goneStrangerCookie,
  readAttempt,
  spentAttemptCookie,
  strangerCookie,
} from "./attempt_cookies.ts";

/** The part of a request's context that this needs. */
export interface Flowing {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
}

/** What a page says when there is no way on. */
export interface FlowProblem {
  readonly status: 400 | 403 | 404 | 429 | 502;
  readonly message: string;
  /** For who runs the instance: what the provider did; null when there is nothing to say. */
  readonly detail: string | null;
}

export type FlowResult =
  | { readonly kind: "away"; readonly url: URL; readonly cookies: readonly string[] }
  | { readonly kind: "done"; readonly response: Response }
  | { readonly kind: "shown"; readonly answered: Answered; readonly cookies: readonly string[] }
  | {
    readonly kind: "problem";
    readonly problem: FlowProblem;
    readonly cookies: readonly string[];
  };

/** Who was made a member by their groups comes back this often to have them read again. */
export const MANAGED_LIFETIME_MS = 12 * HOUR_MS;

/**
 * Begins an attempt: where the browser has to go, and what it has to keep.
 *
 * @param next a path within this service
 */
export async function goToProvider(
  { req, state: { services, clientAddress } }: Flowing,
  provider: Provider,
  purpose: Purpose,
  next: string,
): Promise<FlowResult> {
  const limit = { ...ATTEMPTS, subject: addressGroup(clientAddress) };
  const counted = await countAttempt(services.kv, [limit], Date.now());
  if (!counted.ok) return { kind: "problem", problem: tooMany(counted.retryAfterSec), cookies: [] };
  try {
    const { url, handshake } = await startHandshake(services, provider, {
      isAgain: purpose.kind === "again",
    });
    const attempt: Attempt = { providerId: provider.id, handshake, purpose, next };
    return { kind: "away", url, cookies: await attemptCookies(req, services, attempt) };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logFailure(services, provider, error);
    return { kind: "problem", problem: unreachable(provider, error), cookies: [] };
  }
}

/** Of one address, in which a whole office may sit: each attempt has a provider asked on somebody's behalf. */
const ATTEMPTS = { kind: "provider", max: 300, windowSec: 15 * 60 };

function tooMany(retryAfterSec: number): FlowProblem {
  const time = formatDuration(retryAfterSec * 1000);
  const message = t("Too many attempts. Try again in {time}.", { time });
  return { status: 429, message, detail: null };
}

/** What becomes of a browser that comes back from a provider. */
export async function comeBack(ctx: Flowing, id: string): Promise<FlowResult> {
  const { req, url, state: { services } } = ctx;
  const state = url.searchParams.get("state") ?? "";
  const attempt = await readAttempt(req, services, state);
  const provider = await findProvider(services.kv, id);
  const cookies = [spentAttemptCookie(state, services.config)];
  // It holds once: a browser's history, or who copied the cookie, gets nothing by it.
  if (
    attempt === null || provider === null || attempt.providerId !== provider.id ||
    !provider.isEnabled && attempt.purpose.kind !== "test" ||
    !await spendOnce(services.kv, "state", state, ATTEMPT_MS)
  ) {
    return {
      kind: "problem",
      // Whoever may have lured the browser here does not end what its person has begun.
      cookies: [],
      problem: {
        status: 400,
        message: t("This sign-in is too old, or was started in another browser. Start again."),
        detail: null,
      },
    };
  }
  try {
    const answered = await finishHandshake(services, provider, attempt.handshake, url.search);
    return await withCookies(await follow(ctx, provider, attempt, answered), cookies);
  } catch (error) {
    const problem = problemOf(services, provider, error);
    return { kind: "problem", problem, cookies };
  }
}

function withCookies(result: FlowResult, cookies: readonly string[]): FlowResult {
  if (result.kind !== "done") return { ...result, cookies: [...result.cookies, ...cookies] };
  for (const cookie of cookies) result.response.headers.append("set-cookie", cookie);
  return result;
}

function problemOf(services: State["services"], provider: Provider, error: unknown): FlowProblem {
  if (error instanceof Cancelled) {
    const message = t("You did not sign in at {provider}.", { provider: provider.name });
    return { status: 403, message, detail: null };
  }
  if (error instanceof InvalidInput) return { status: 403, message: error.message, detail: null };
  if (!(error instanceof ProviderFailure)) throw error;
  logFailure(services, provider, error);
  return {
    status: 502,
    message: t("What {provider} answered cannot be used. Try again, or sign in another way.", {
      provider: provider.name,
    }),
    detail: error.message,
  };
}

function unreachable({ name }: Provider, error: ProviderFailure): FlowProblem {
  return {
    status: 502,
    message: t("{provider} cannot be reached now. Try again, or sign in another way.", {
      provider: name,
    }),
    detail: error.message,
  };
}

function logFailure({ log }: State["services"], { id }: Provider, error: ProviderFailure): void {
  log.warn("a provider of single sign-on failed", { provider: id, reason: error.message });
}

async function follow(
  ctx: Flowing,
  provider: Provider,
  { purpose, next }: Attempt,
  answered: Answered,
): Promise<FlowResult> {
  if (purpose.kind === "sign-in") return await signIn(ctx, provider, answered, next);
  const { actor } = ctx.state;
  if (actor.kind !== "user" || actor.user.id !== purpose.userId) {
    throw new InvalidInput("", t("You have signed out, or in as somebody else, meanwhile."));
  }
  if (purpose.kind === "test") return { kind: "shown", answered, cookies: [] };
  return {
    kind: "done",
    response: purpose.kind === "connect"
      ? await connect(ctx, provider, answered, actor.user, next)
      : await proveAgain(ctx, provider, answered, actor.user, next),
  };
}

async function connect(
  { state: { services } }: Flowing,
  provider: Provider,
  { profile }: Answered,
  user: User,
  next: string,
): Promise<Response> {
  await linkIdentity(services.kv, { providerId: provider.id, profile }, user);
  await tellConnected(services, user, provider.name);
  return redirectWithFlash(next, t("{provider} is connected.", { provider: provider.name }));
}

/** Tells a person by mail that a provider opens their account. @param isTrusted found by its address alone */
export function tellConnected(
  services: State["services"],
  user: User,
  provider: string,
  isTrusted = false,
): Promise<void> {
  return tellAccount(services, user, { kind: "provider-connected", provider, isTrusted });
}

async function proveAgain(
  ctx: Flowing,
  provider: Provider,
  { profile: { issuer, subject } }: Answered,
  user: User,
  next: string,
): Promise<Response> {
  const own = await listIdentities(ctx.state.services.kv, user.id);
  if (!own.some((each) => each.issuer === issuer && each.subject === subject)) {
    throw new InvalidInput("", t("At the provider you are somebody else than here."));
  }
  return await startSessionBy(ctx, provider, user, next);
}

async function signIn(
  ctx: Flowing,
  provider: Provider,
  { profile }: Answered,
  next: string,
): Promise<FlowResult> {
  const { services } = ctx.state;
  const hasInvite = await hasInviteAt(ctx, next, profile.email);
  const arrival = await arrive(services.kv, provider, profile, { hasInvite });
  if (arrival.kind === "trusted") {
    await tellConnected(services, arrival.user, provider.name, true);
  }
  if ("user" in arrival) {
    const response = await startSessionBy(ctx, provider, arrival.user, next);
    const { session } = ctx.state;
    if (session !== null) await rememberSid(services.kv, provider, profile, session);
    response.headers.append("set-cookie", goneStrangerCookie(services.config));
    return { kind: "done", response };
  }
  await noteFailure(services.kv, provider, profile.email ?? profile.subject, arrival);
  if (arrival.kind === "refused") {
    const seen = profile.groups.slice(0, MAX_SHOWN_GROUPS).join(", ");
    services.log.warn("sign-in refused: no group", { provider: provider.id, groups: seen });
    return {
      kind: "problem",
      cookies: [],
      // Which groups there are is told to administrators alone: by the log, and by a test of their own.
      problem: { status: 403, message: arrival.why, detail: null },
    };
  }
  const stranger: Stranger = {
    providerId: provider.id,
    profile: {
      issuer: profile.issuer,
      subject: profile.subject,
      email: profile.email,
      name: profile.name,
    },
    why: arrival.why,
    id: newSecret(),
    startedAt: Date.now(),
    next,
  };
  const response = new Response(null, {
    status: 303,
    headers: { location: `${providerPath(provider.id)}/connect` },
  });
  response.headers.append("set-cookie", await strangerCookie(services, stranger));
  return { kind: "done", response };
}

const MAX_SHOWN_GROUPS = 50;

async function noteFailure(
  kv: Deno.Kv,
  provider: Provider,
  label: string,
  arrival: Arrival & { readonly why: string },
): Promise<void> {
  await addAudit(kv.atomic(), {
    event: "user.sign-in-failed",
    organizationId: null,
    target: { kind: "user", id: "", label },
    changes: { method: [null, provider.id], reason: [null, arrival.kind] },
  }).commit();
}

async function startSessionBy(
  ctx: Flowing,
  provider: Provider,
  user: User,
  next: string,
): Promise<Response> {
  const isManaged = await hasManagedMembership(ctx.state.services.kv, user.id);
  return await completeSignIn(ctx, {
    user,
    method: provider.kind === "github" ? "github" : "oidc",
    provider: provider.id,
    ...isManaged ? { lifetimeMs: MANAGED_LIFETIME_MS } : {},
  }, next);
}
