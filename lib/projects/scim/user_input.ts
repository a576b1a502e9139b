/** What a directory says of a person, in the shapes in which Entra, Okta and RFC 7643 say it. */
import type { Provision } from "../../accounts/provisioning.ts";
import { isRole, type Role } from "../../accounts/roles.ts";
import {
  isObject,
  type Json,
  type Operation,
  plainPath,
  ScimError,
  textIn,
  truth,
} from "./protocol.ts";

/** What is said so far; absent: nothing. */
export interface UserDraft {
  userName?: string;
  externalId?: string | null;
  displayName?: string;
  formatted?: string;
  givenName?: string;
  familyName?: string;
  email?: string;
  active?: boolean;
  role?: Role;
}

/** A whole resource, of a POST or a PUT. */
export function userOf(resource: Json): UserDraft {
  const draft: UserDraft = {};
  sayAll(draft, resource);
  return draft;
}

/** The changes of a PATCH, in their order. What we keep nothing of is taken and left out. */
export function patchedUser(operations: readonly Operation[]): UserDraft {
  const draft: UserDraft = {};
  for (const { op, path, value } of operations) {
    if (op === "remove") {
      if (path === "externalid") draft.externalId = null;
    } else if (path !== "") say(draft, path, value);
    else if (isObject(value)) sayAll(draft, value);
    else throw new ScimError(400, "invalidValue", "Without a path the value is an object.");
  }
  return draft;
}

function sayAll(draft: UserDraft, values: Json, before = ""): void {
  for (const [name, value] of Object.entries(values)) say(draft, before + plainPath(name), value);
}

type Saying = (draft: UserDraft, value: unknown) => void;

const SAYINGS: ReadonlyMap<string, Saying> = new Map<string, Saying>([
  ["username", (draft, value) => put(draft, "userName", value)],
  ["displayname", (draft, value) => put(draft, "displayName", value)],
  ["name.formatted", (draft, value) => put(draft, "formatted", value)],
  ["name.givenname", (draft, value) => put(draft, "givenName", value)],
  ["name.familyname", (draft, value) => put(draft, "familyName", value)],
  ["externalid", (draft, value) => void (draft.externalId = textIn(value, "externalId"))],
  ["active", (draft, value) => void (draft.active = truth(value, "active"))],
  ["name", (draft, value) => void (isObject(value) && sayAll(draft, value, "name."))],
  ["emails", (draft, value) => put(draft, "email", primaryOf(value))],
  ["roles", (draft, value) => sayRole(draft, primaryOf(value))],
]);

/** Entra names the one address or role: `emails[type eq "work"].value`. */
const OF_MANY = /^(emails|roles)(?:\[.*\])?(?:\.value)?$/;

function say(draft: UserDraft, path: string, value: unknown): void {
  const many = OF_MANY.exec(path)?.[1];
  SAYINGS.get(many ?? path)?.(draft, value);
}

function put(
  draft: UserDraft,
  name: "userName" | "displayName" | "formatted" | "givenName" | "familyName" | "email",
  value: unknown,
): void {
  const text = textIn(value, name);
  if (text !== null) draft[name] = text;
}

/** A directory makes no owners: they decide about the directory. */
function sayRole(draft: UserDraft, value: unknown): void {
  const text = textIn(value, "roles")?.toLowerCase() ?? null;
  if (text === null) return;
  if (!isRole(text) || text === "owner") {
    throw new ScimError(400, "invalidValue", "A role is viewer, member, admin or manager.");
  }
  draft.role = text;
}

/** The primary one of many values, else the first; a bare text is itself. */
function primaryOf(value: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const primary = list.find((each) => isObject(each) && each.primary === true) ?? list[0];
  return isObject(primary) ? primary.value : primary;
}

/** What a draft means for the member. */
export function provisionOf(draft: UserDraft): Provision {
  const { userName, externalId, active, role } = draft;
  const name = nameOf(draft);
  return {
    ...userName === undefined ? {} : { userName },
    ...externalId === undefined ? {} : { externalId },
    ...active === undefined ? {} : { isActive: active },
    ...role === undefined ? {} : { role },
    ...name === undefined ? {} : { name },
  };
}

/** Accounts have one name. */
function nameOf({ displayName, formatted, givenName, familyName }: UserDraft): string | undefined {
  const parts = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  return (displayName ?? formatted ?? parts.slice(0, MAX_NAME)).slice(0, MAX_NAME) || undefined;
}

/** Of an account's name. */
const MAX_NAME = 64;
