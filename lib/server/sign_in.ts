/** What follows once somebody has proven who they are, whichever way they did. */
import { addAudit } from "../accounts/audit.ts";
import { identified } from "../accounts/authorize.ts";
import { carryOutRemoval } from "../accounts/factor_removal.ts";
import { addKnownDevice, hasKnownDevices, knownDevice } from "../accounts/known_devices.ts";
import { addPendingSignIn, type FoundPending } from "../accounts/pending_sign_in.ts";
import { requireLocalSignIn } from "../accounts/providers/policy.ts";
import { hasSecondFactor } from "../accounts/second_factors.ts";
import {
  endSession,
  type Session,
  sessionEpoch,
  type SignInMethod,
  startSession,
} from "../accounts/sessions.ts";
import type { User } from "../accounts/users.ts";
import { Denied } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { tellAccount } from "../notifications/mod.ts";
import type { State } from "./define.ts";
import {
  clearedPendingCookie,
  deviceCookie,
  pendingCookie,
  readDeviceToken,
  readPendingToken,
  sessionCookie,
} from "./session.ts";

export type { SignInMethod } from "../accounts/sessions.ts";

export interface Proof {
  readonly user: User;
  readonly method: SignInMethod;
  /** Of OIDC and GitHub: the provider's id. */
  readonly provider?: string;
  /** Whether no second factor of ours is asked for. @default true but for passwords and invitations */
  readonly isStrong?: boolean;
  /** Of the session, where it is shorter than that of others. */
  readonly lifetimeMs?: number;
  /** Of the user's sessions, read together with what proves identity. @default what it is now */
  readonly epoch?: number;
}

/** The part of a request's context that signing in needs. */
interface SigningIn {
  readonly req: Request;
  readonly state: State;
}

/** Where the second factor is asked for. */
export const SECOND_FACTOR_PATH = "/sign-in/second-factor";

/** By provider the second factor is theirs; who sets the instance up or was invited has none yet. */
const COUNTS_AS_TWO: Readonly<Record<SignInMethod, boolean>> = {
  password: false,
  passkey: true,
  oidc: true,
  github: true,
  header: true,
  invite: false,
  setup: false,
};

/** Proven to us alone, by what an instance that signs people in by providers does not take. */
const IS_LOCAL: Readonly<Record<SignInMethod, boolean>> = {
  password: true,
  passkey: true,
  oidc: false,
  github: false,
  header: false,
  invite: true,
  setup: false,
};

/**
 * Starts a session and sends the browser on, or first to the page that asks for the second factor.
 *
 * @param next a path within this service
 * @throws {Denied} 403 for an account that is disabled, and where providers alone sign people in
 */
export async function completeSignIn(
  ctx: SigningIn,
  proof: Proof,
  next: string,
): Promise<Response> {
  const { kv, config } = ctx.state.services;
  const { user, method, provider, lifetimeMs } = proof;
  refuseDisabled(user);
  if (IS_LOCAL[method]) await requireLocalSignIn(kv, config, user);
  const epoch = proof.epoch ?? await sessionEpoch(kv, user.id);
  await carryOutRemoval(kv, user);
  const isStrong = proof.isStrong ?? COUNTS_AS_TWO[method];
  const proven = {
    epoch,
    method,
    ...provider === undefined ? {} : { provider },
    ...lifetimeMs === undefined ? {} : { lifetimeMs },
  };
  if (isStrong || !await hasSecondFactor(kv, user.id)) {
    return await begin(ctx, { ...proven, user, isStrong }, next);
  }
  const token = await addPendingSignIn(kv, { ...proven, userId: user.id, next });
  const response = new Response(null, { status: 303, headers: { location: SECOND_FACTOR_PATH } });
  response.headers.append("set-cookie", pendingCookie(token, config));
  return response;
}

/** Starts the session of a sign-in whose second factor was shown. @throws {Denied} as `completeSignIn()` */
export async function completePendingSignIn(
  ctx: SigningIn,
  { pending, user }: FoundPending,
  next: string = pending.next,
): Promise<Response> {
  refuseDisabled(user);
  const { epoch, method, provider, lifetimeMs } = pending;
  return await begin(ctx, {
    user,
    epoch,
    method,
    isStrong: true,
    ...provider === undefined ? {} : { provider },
    ...lifetimeMs === undefined ? {} : { lifetimeMs },
  }, next);
}

function refuseDisabled({ disabledAt }: User): void {
  if (disabledAt === undefined) return;
  throw new Denied(
    403,
    t("This account is disabled. An administrator of this Watchpost can enable it."),
  );
}

/** A new session for every sign-in: the one before must not live on in somebody's hands. */
async function begin(
  { req, state }: SigningIn,
  proof: Proof & { readonly epoch: number; readonly isStrong: boolean },
  next: string,
): Promise<Response> {
  const { services: { kv, config }, sessionToken } = state;
  const { user, method, provider, isStrong, epoch, lifetimeMs } = proof;
  state.actor = identified({
    kind: "user",
    user,
    isStrong,
    ...provider === undefined ? {} : { provider },
  });
  if (sessionToken !== null) await endSession(kv, sessionToken);
  const known = await knownDevice(kv, user.email, readDeviceToken(req, config));
  const isNewDevice = known === null && await hasKnownDevices(kv, user.email);
  let device = known ?? "";
  const { token, session } = await startSession(kv, user.id, {
    method,
    isStrong,
    epoch,
    ...provider === undefined ? {} : { provider },
    ...lifetimeMs === undefined ? {} : { lifetimeMs },
    also(atomic) {
      device = addKnownDevice(atomic, user.email, known);
      addAudit(atomic, {
        event: "user.sign-in",
        organizationId: null,
        target: { kind: "user", id: user.id, label: user.email },
        changes: { method: [null, provider ?? method] },
      });
    },
  });
  if (isNewDevice) await tellOfDevice(state, user, session);
  state.sessionToken = token;
  state.session = session;
  const response = new Response(null, { status: 303, headers: { location: next } });
  response.headers.append("set-cookie", sessionCookie(token, config));
  response.headers.append("set-cookie", deviceCookie(device, config));
  if (readPendingToken(req, config) !== null) {
    response.headers.append("set-cookie", clearedPendingCookie(config));
  }
  return response;
}

/** Somebody else may have signed in: who has signed in before from other browsers is told. */
async function tellOfDevice(state: State, user: User, session: Session): Promise<void> {
  const { userAgent, address, createdAt: at } = session;
  await tellAccount(state.services, user, {
    kind: "new-device",
    userAgent: userAgent ?? null,
    address: address ?? "?",
    at,
  });
}
