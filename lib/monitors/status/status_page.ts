/**
 * The status page of an organization: what it shows, to whom, and under which address. It is control data and lies in
 * Deno KV, as the organization does: people must be able to write on it while Postgres is the thing that is down.
 */
import { addAudit } from "../../accounts/audit.ts";
import { changesBetween } from "../../records/audit.ts";
import { t } from "../../core/language/translate.ts";
import { conflict, keyOf, prefixOf, untilCommitted } from "../../accounts/kv.ts";
import { checkName, checkSlug, freeSlug, isSlug } from "../../accounts/names.ts";
import { newSecret, randomHex, sameSecret, sha256 } from "../../accounts/secrets.ts";
import { InvalidInput } from "../../core/errors.ts";
import { type Colour, readColour } from "./colours.ts";

/** A monitor on the page. */
export interface PageEntry {
  readonly projectId: string;
  /** UUID. */
  readonly monitorId: string;
  /** What the public reads. */
  readonly name: string;
  /** Heading that it stands under; `""` for none. */
  readonly group: string;
  /** Part of the address of its badge; nobody can guess it. */
  readonly badge: string;
}

export interface StatusPage {
  readonly organizationId: string;
  readonly slug: string;
  readonly title: string;
  /** A paragraph below the title; may be empty. */
  readonly about: string;
  /** Own host name that the page answers at, in lower case, or null. */
  readonly host: string | null;
  readonly isPublic: boolean;
  /** SHA-256 of the token that lets people without an account see a private page; null: there is none. */
  readonly tokenHash: string | null;
  /** Behind the title. */
  readonly headColour: Colour;
  /** Of links. */
  readonly linkColour: Colour;
  /** Media type and hash of the logo; null: it has none. */
  readonly logo: { readonly type: string; readonly hash: string } | null;
  readonly entries: readonly PageEntry[];
  /** Part of the address of the badge of the whole page. */
  readonly badge: string;
  readonly updatedAt: Date;
  /** E-mail address. */
  readonly updatedBy: string;
}

export const COLOURS = { head: "#1f2937", link: "#2563eb" };
export const MAX_ABOUT = 500;
/** One record holds them all, and one page shows them. */
export const MAX_ENTRIES = 100;
export const MAX_GROUP = 64;

/** Which monitor an entry is of: unique on a page. */
export function entryKey(
  { projectId, monitorId }: Pick<PageEntry, "projectId" | "monitorId">,
): string {
  return `${projectId}/${monitorId}`;
}

/** The page of an organization, or null; one that is deleted has none until it is restored. */
export async function findPage(kv: Deno.Kv, organizationId: string): Promise<StatusPage | null> {
  const [page, organization] = await kv.getMany<[StatusPage, unknown]>([
    keyOf.statusPage(organizationId),
    keyOf.organization(organizationId),
  ]);
  return organization.value === null ? null : page.value;
}

/** The page of this slug, or null. */
export async function findPageBySlug(kv: Deno.Kv, slug: string): Promise<StatusPage | null> {
  if (!isSlug(slug)) return null;
  const { value: id } = await kv.get<string>(keyOf.statusPageBySlug(slug));
  const page = id === null ? null : await findPage(kv, id);
  return page?.slug === slug ? page : null;
}

/** The page that answers at this host name, or null. */
export async function findPageByHost(kv: Deno.Kv, host: string): Promise<StatusPage | null> {
  const { value: id } = await kv.get<string>(keyOf.statusPageByHost(host));
  const page = id === null ? null : await findPage(kv, id);
  return page?.host === host ? page : null;
}

/** Every page of the instance. */
export async function listPages(kv: Deno.Kv): Promise<StatusPage[]> {
  const entries = kv.list<StatusPage>({ prefix: prefixOf.statusPages() });
  return await Array.fromAsync(entries, ({ value }) => value);
}

/** What a form says about the page itself. */
export interface PageSettings {
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  readonly host: string | null;
  readonly isPublic: boolean;
  readonly headColour: Colour;
  readonly linkColour: Colour;
}

/**
 * Checks what was entered.
 *
 * @param field reads a field of the form
 * @param ownHost host name of the service itself, which no page may take
 * @throws {InvalidInput} for the first field that is wrong
 */
export function checkSettings(field: (name: string) => string, ownHost: string): PageSettings {
  const about = field("about").replace(/[^\P{Cc}\n]/gu, "").toWellFormed();
  if (about.length > MAX_ABOUT) {
    throw new InvalidInput("about", t("Enter at most {n} characters.", { n: MAX_ABOUT }));
  }
  return {
    title: checkName("title", field("title")),
    slug: checkSlug(field("slug")),
    about,
    host: checkHost(field("host"), ownHost),
    isPublic: field("visibility") === "public",
    headColour: checkColour("headColour", field("headColour")),
    linkColour: checkColour("linkColour", field("linkColour")),
  };
}

function checkColour(field: string, text: string): Colour {
  const colour = readColour(text);
  if (colour === null) throw new InvalidInput(field, t("Enter a colour as #1f2937."));
  return colour;
}

/** Names with a dot and letters at their end, so that no address of the machine itself is one. */
const HOST =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

function checkHost(text: string, ownHost: string): string | null {
  const host = text.toLowerCase().replace(/\.$/, "");
  if (host === "") return null;
  if (!HOST.test(host)) {
    throw new InvalidInput("host", t("Enter a host name alone, as status.example.com."));
  }
  if (host === ownHost) {
    throw new InvalidInput(
      "host",
      t("This is the address of Watchpost itself. Choose another name."),
    );
  }
  return host;
}

/**
 * Makes or changes the page of an organization.
 *
 * @throws {InvalidInput} when another page has the slug or the host name
 */
export function savePage(
  kv: Deno.Kv,
  organizationId: string,
  settings: PageSettings,
  by: string,
): Promise<StatusPage> {
  return untilCommitted<StatusPage>("save the status page", async () => {
    const entry = await kv.get<StatusPage>(keyOf.statusPage(organizationId));
    const old = entry.value;
    const atomic = kv.atomic().check(entry);
    if (settings.slug !== old?.slug) {
      const isTaken = async (slug: string) =>
        (await kv.get(keyOf.statusPageBySlug(slug))).value !== null;
      await freeSlug({ chosen: settings.slug, name: "", fallback: "" }, isTaken);
      atomic.check({ key: keyOf.statusPageBySlug(settings.slug), versionstamp: null })
        .set(keyOf.statusPageBySlug(settings.slug), organizationId);
      if (old) atomic.delete(keyOf.statusPageBySlug(old.slug));
    }
    if (settings.host !== (old?.host ?? null)) await moveHost(kv, atomic, old, settings.host);
    const page: StatusPage = {
      ...old ?? { organizationId, tokenHash: null, logo: null, entries: [], badge: randomHex(16) },
      ...settings,
      updatedAt: new Date(),
      updatedBy: by,
    };
    atomic.set(entry.key, page).set(keyOf.statusRevision(organizationId), page.updatedAt);
    auditPage(atomic, old, page);
    if (settings.host !== null) atomic.set(keyOf.statusPageByHost(settings.host), organizationId);
    return (await atomic.commit()).ok ? page : conflict;
  });
}

function auditPage(
  atomic: Deno.AtomicOperation,
  before: StatusPage | null,
  after: StatusPage | null,
): void {
  const page = after ?? before;
  if (page === null) return;
  const shown = ({ updatedAt: _at, updatedBy: _by, badge: _badge, ...settings }: StatusPage) =>
    settings;
  addAudit(atomic, {
    event: after === null ? "status-page.remove" : "status-page.edit",
    organizationId: page.organizationId,
    target: { kind: "status-page", id: page.organizationId, label: page.slug },
    changes: changesBetween(before && shown(before), after && shown(after)),
  });
}

async function moveHost(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  old: StatusPage | null,
  host: string | null,
): Promise<void> {
  if (old !== null && old.host !== null) atomic.delete(keyOf.statusPageByHost(old.host));
  if (host === null) return;
  const key = keyOf.statusPageByHost(host);
  if ((await kv.get(key)).value !== null) {
    throw new InvalidInput(
      "host",
      t("Another status page answers at {host} already.", { host }),
      "taken",
    );
  }
  atomic.check({ key, versionstamp: null });
}

/** Changes parts of a page that is there. @returns null when it is not */
export function changePage(
  kv: Deno.Kv,
  organizationId: string,
  change: (page: StatusPage) => Partial<Pick<StatusPage, "entries" | "tokenHash" | "logo">>,
  by: string,
  also: (atomic: Deno.AtomicOperation) => void = () => {},
): Promise<StatusPage | null> {
  return untilCommitted<StatusPage | null>("change the status page", async () => {
    const entry = await kv.get<StatusPage>(keyOf.statusPage(organizationId));
    if (entry.value === null) return null;
    const page = { ...entry.value, ...change(entry.value), updatedAt: new Date(), updatedBy: by };
    const atomic = kv.atomic().check(entry).set(entry.key, page)
      .set(keyOf.statusRevision(organizationId), page.updatedAt);
    auditPage(atomic, entry.value, page);
    also(atomic);
    return (await atomic.commit()).ok ? page : conflict;
  });
}

/**
 * Gives a private page a new token for people without an account; the old one ends.
 *
 * @returns the token, which is shown once and not kept; null without a page
 */
export async function renewToken(
  kv: Deno.Kv,
  organizationId: string,
  by: string,
): Promise<string | null> {
  const token = newSecret();
  const changed = await changePage(kv, organizationId, () => ({ tokenHash: sha256(token) }), by);
  return changed === null ? null : token;
}

/** Whether somebody holds the token of a page. */
export function hasToken({ tokenHash }: StatusPage, token: string | null): boolean {
  return tokenHash !== null && token !== null && sameSecret(tokenHash, sha256(token));
}

/** Where the public finds a page, without a slash at its end. */
export function pageUrl(
  baseUrl: string,
  { slug, host }: Pick<StatusPage, "slug" | "host">,
): string {
  return host === null
    ? `${baseUrl}/status/${encodeURIComponent(slug)}`
    : `${new URL(baseUrl).protocol}//${host}`;
}

/** Takes a page away, with what was written on it and who subscribed. */
export async function deletePage(kv: Deno.Kv, page: StatusPage): Promise<void> {
  const { organizationId, slug, host } = page;
  const atomic = kv.atomic().delete(keyOf.statusPage(organizationId))
    .delete(keyOf.statusPageBySlug(slug))
    .delete(keyOf.statusLogo(organizationId))
    .delete(keyOf.statusSnapshot(organizationId))
    .delete(keyOf.statusRevision(organizationId));
  if (host !== null) atomic.delete(keyOf.statusPageByHost(host));
  auditPage(atomic, page, null);
  await atomic.commit();
  const prefixes = [
    prefixOf.statusPosts(organizationId),
    prefixOf.statusSubscribers(organizationId),
    prefixOf.statusMailsOf(organizationId),
    prefixOf.statusSnapshotParts(organizationId),
  ];
  for (const prefix of prefixes) {
    for await (const { key } of kv.list({ prefix })) await kv.delete(key);
  }
}
