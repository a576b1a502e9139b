import { claimInstance, setupCode } from "../../lib/accounts/setup.ts";
import type { Organization } from "../../lib/accounts/organizations.ts";
import { addMember, type Role } from "../../lib/accounts/members.ts";
import type { User } from "../../lib/accounts/users.ts";
import type { Config } from "../../lib/core/config.ts";
import type { Logger } from "../../lib/core/log.ts";
import type { Services } from "../../lib/server/services.ts";
import { builtApp, type Handle } from "./built_app.ts";
import { newVisitor, type Visitor } from "./visitor.ts";
export type { Answer, Visitor } from "./visitor.ts";
import { PASSWORD, person } from "./people.ts";
import { testServices } from "./services.ts";

export interface UiApp extends AsyncDisposable {
  readonly services: Services;
  readonly handle: Handle;
  /** Somebody with a browser of their own, not signed in. */
  visitor(): Visitor;
}

/** The whole app with all its pages on fresh stores, without a port. */
export async function uiApp(overrides: Partial<Config> = {}, log?: Logger): Promise<UiApp> {
  const { services, [Symbol.asyncDispose]: dispose } = await testServices(overrides, log);
  const handle = builtApp(services);
  return { services, handle, visitor: () => newVisitor(handle), [Symbol.asyncDispose]: dispose };
}

export interface Acme extends UiApp {
  readonly organization: Organization;
  /** Signed in as the owner, who runs the instance. */
  readonly owner: Visitor;
  /** A new member `<role>@example.com` with the mail's name, signed in. */
  member(role: Role): Promise<{ user: User; visitor: Visitor }>;
}

/** The app with an organization named Acme and its owner. */
export async function acme(overrides: Partial<Config> = {}, log?: Logger): Promise<Acme> {
  const app = await uiApp(overrides, log);
  const { kv } = app.services;
  const claimed = await claimInstance(kv, {
    code: await setupCode(kv),
    organizationName: "Acme",
    name: "Olga Owner",
    email: "olga@example.com",
    password: PASSWORD,
    address: "127.0.0.1",
  });
  if (!claimed.ok) throw new Error(`Cannot claim the test instance: ${claimed.reason}`);
  const { organization, user } = claimed;
  const owner = app.visitor();
  await owner.signIn("olga@example.com");
  return {
    ...app,
    organization,
    owner,
    async member(role) {
      const added = await person(kv, role);
      await addMember(kv, { role: "owner", userId: user.id }, organization.id, added.id, role);
      const visitor = app.visitor();
      await visitor.signIn(added.email);
      return { user: added, visitor };
    },
  };
}

/** The text that a reader sees: HTML without tags, blanks collapsed. */
export function textOf(html: string): string {
  return html.replace(/<(script|svg)\b.*?<\/\1>/gs, " ")
    .replace(/<\/?(?:a|code|span|strong|time)\b[^>]*>/g, "").replace(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
}
