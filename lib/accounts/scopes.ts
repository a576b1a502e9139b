/** Sentry's scopes, as its tools and their users write them, and what they are here. */
import { InvalidInput } from "../core/errors.ts";
import { type Permission, PERMISSIONS, type Role, roleAllows } from "./members.ts";

/** What each of Sentry's scopes permits; those that have no counterpart permit nothing more than what they imply. */
const PERMITS = {
  "org:read": ["organization:read"],
  "org:write": ["organization:read", "organization:write", "audit:read"],
  "org:admin": [
    "organization:read",
    "organization:write",
    "organization:admin",
    "audit:read",
    "people:data",
  ],
  "org:integrations": ["organization:read"],
  "org:ci": ["release:read", "release:write"],
  "member:read": ["organization:read"],
  "member:write": ["organization:read", "member:write"],
  "member:admin": ["organization:read", "member:write"],
  "team:read": ["organization:read"],
  "team:write": ["organization:read", "team:write"],
  "team:admin": ["organization:read", "team:write"],
  "project:read": ["project:read", "key:read", "release:read"],
  "project:write": [
    "project:read",
    "project:write",
    "project:create",
    "key:read",
    "key:write",
    "release:read",
    "release:write",
  ],
  "project:admin": [
    "project:read",
    "project:write",
    "project:create",
    "project:delete",
    "key:read",
    "key:write",
    "release:read",
    "release:write",
  ],
  "project:releases": ["release:read", "release:write"],
  "event:read": ["project:read"],
  "event:write": ["project:read", "issue:write"],
  "event:admin": ["project:read", "issue:write", "issue:delete"],
  "alerts:read": ["project:read"],
  "alerts:write": ["project:read", "alert:write"],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

type SentryScope = keyof typeof PERMITS;

/** What Sentry's endpoints let a role or a token with these permissions do, in Sentry's names. */
const NAMES: Readonly<Record<Permission, readonly SentryScope[]>> = {
  "organization:read": ["org:read", "member:read", "team:read"],
  "organization:write": ["org:write"],
  "organization:admin": ["org:admin"],
  "sso:write": [],
  "audit:read": [],
  "people:data": [],
  "member:write": ["member:write", "member:admin"],
  "team:write": ["team:write", "team:admin"],
  "token:write": [],
  "token:admin": [],
  "project:read": ["project:read", "event:read", "alerts:read"],
  "project:create": ["project:write"],
  "project:write": ["project:write"],
  "project:delete": ["project:admin"],
  "issue:write": ["event:write"],
  "issue:delete": ["event:admin"],
  "dashboard:write": [],
  "alert:write": ["alerts:write"],
  "key:read": [],
  "key:write": ["project:write"],
  "release:read": [],
  "release:write": ["project:releases"],
};

/** Sentry's scopes that let a token do this. */
export function permissionNames(permission: Permission): string[] {
  return Object.entries(PERMITS)
    .filter(([, permits]: [string, readonly Permission[]]) => permits.includes(permission))
    .map(([name]) => name);
}

/** Sentry's names for what these permissions allow, each once. */
export function sentryScopes(permissions: readonly Permission[]): string[] {
  return [...new Set(permissions.flatMap((permission) => NAMES[permission]))];
}

/** Sentry's names for what a role allows. @param also what somebody may beside it */
export function sentryScopesOf(role: Role, also: readonly Permission[] = []): string[] {
  return sentryScopes(
    PERMISSIONS.filter((permission) => roleAllows(role, permission) || also.includes(permission)),
  );
}

/**
 * What Sentry's scopes permit here.
 *
 * @param text their names, with blanks or commas between them
 * @throws {InvalidInput} for a name that Sentry does not have
 */
export function permissionsOfSentryScopes(text: string): Permission[] {
  const names = text.toLowerCase().split(/[\s,]+/).filter((name) => name !== "");
  return [
    ...new Set(names.flatMap((name): readonly Permission[] => {
      if (isSentryScope(name)) return PERMITS[name];
      throw new InvalidInput(
        "sentryScopes",
        `"${name.slice(0, 40)}" is no scope of Sentry's: write ${Object.keys(PERMITS).join(", ")}.`,
      );
    })),
  ];
}

function isSentryScope(name: string): name is SentryScope {
  return Object.hasOwn(PERMITS, name);
}
