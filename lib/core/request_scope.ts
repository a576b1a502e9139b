/**
 * Whom the work in hand is done for: who asked, from where, and in which language and time zone they read. It follows a
 * request through everything that it awaits, so that audit entries and texts need no such parameter in every function.
 * Work that nobody asked for has the scope of the system.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Language, setLanguageSource } from "./language/translate.ts";
import { russian } from "./language/ru.ts";

/** Who does something, as the audit log keeps it: also when the account is gone. */
export interface Asker {
  readonly kind:
    | "user"
    | "token"
    | "organization_token"
    | "scim"
    | "instance"
    | "system"
    | "nobody";
  /** Of the person, or of the token where no person stands behind it. */
  readonly id: string | null;
  /** The email address, or what else people know them by. */
  readonly label: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

export interface RequestScope {
  language: Language;
  /** An IANA name, or `UTC`. */
  timeZone: string;
  asker: Asker;
  /** Pattern of the address that was asked for. */
  route?: string;
  /** Of which the request was let work on something, last; audit entries are of it. */
  organizationId?: string;
}

const SYSTEM: Asker = {
  kind: "system",
  id: null,
  label: "Watchpost",
  address: null,
  userAgent: null,
  requestId: null,
};

const scopes = new AsyncLocalStorage<RequestScope>();

/** Does work for somebody. The scope may be changed on the way, once it is known who asks. */
export function inScope<T>(scope: RequestScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Does work for a reader of this language, such as a mail to them; by whom it is done stays as it is. */
export function inLanguage<T>(
  reader: { readonly language: Language; readonly timeZone?: string },
  work: () => T,
): T {
  const { language, timeZone = "UTC" } = reader;
  return scopes.run({ ...currentScope(), language, timeZone }, work);
}

/** Notes whose things the work in hand is about, once it is known that it may. */
export function workOn(organizationId: string): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.organizationId = organizationId;
}

/** The scope of the work in hand; a new one of the system where there is none. */
export function currentScope(): RequestScope {
  return scopes.getStore() ?? { language: "en", timeZone: "UTC", asker: SYSTEM };
}

setLanguageSource({
  language: () => scopes.getStore()?.language ?? "en",
  timeZone: () => scopes.getStore()?.timeZone ?? "UTC",
  catalogue: (language) => language === "ru" ? russian : null,
});
