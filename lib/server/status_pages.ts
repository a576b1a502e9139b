/** What the public asks of status pages: who may see what, and in which form it is answered. */
import { currentLanguage, t } from "../core/language/translate.ts";
import { HttpError } from "fresh";
import { effectiveRole } from "../accounts/members.ts";
import { findOrganization } from "../accounts/organizations.ts";
import { lacksSecondFactor } from "../accounts/second_factor_rule.ts";
import { readSession } from "../accounts/sessions.ts";
import { MailFailure } from "../alerts/mod.ts";
import { InvalidInput } from "../core/errors.ts";
import { SECOND_MS } from "../core/time.ts";
import { badgeOf, badgeSvg, shieldsJson } from "../monitors/status/badge.ts";
import { feedOf } from "../monitors/status/feed.ts";
import { jsonOf } from "../monitors/status/json.ts";
import { readLogo } from "../monitors/status/logo.ts";
import {
  messagePage,
  type PageAddresses,
  publicPage,
  type StatusDocument,
} from "../monitors/status/pages/public_page.tsx";
import {
  findPageByHost,
  findPageBySlug,
  hasToken,
  pageUrl,
  type StatusPage,
} from "../monitors/status/status_page.ts";
import { askToConfirm, readLink, subscribe, unsubscribe } from "../monitors/status/subscribers.ts";
import { loadView, type StatusView, viewVersion } from "../monitors/status/view.ts";
import { fieldOf, readForm } from "../ui/form.ts";
import { define, type State } from "./define.ts";
import type { Asking } from "./form_handlers.ts";
import { readSessionToken } from "./session.ts";

interface Asked {
  readonly req: Request;
  readonly url: URL;
  readonly state: State;
  readonly page: StatusPage;
  readonly addresses: PageAddresses;
  /** Token of a badge, from its address. */
  readonly badge: string | null;
  /** False: only what the address itself stands for may be told. */
  readonly maySee: boolean;
}

interface Part {
  readonly GET?: (asked: Asked) => Promise<Response>;
  readonly POST?: (asked: Asked) => Promise<Response>;
  /** What the address itself says is enough to let it pass: a badge's token, or what a link of a mail carries. */
  readonly isOpen?: boolean;
}

/** The addresses below a page. */
const PARTS: Readonly<Record<string, Part>> = {
  "": { GET: html },
  "json": { GET: json },
  "feed.xml": { GET: feed },
  "logo": { GET: logo },
  "badge.svg": { GET: badge },
  "badge.json": { GET: shields },
  "badges/*.svg": { GET: badge, isOpen: true },
  "badges/*.json": { GET: shields, isOpen: true },
  "subscribe": { POST: askForSubscription },
  "confirm": { GET: confirmPage, POST: confirm, isOpen: true },
  "unsubscribe": { GET: unsubscribePage, POST: endSubscription, isOpen: true },
};

/** The same words for what is not there and what is not shown. */
function notFound(): HttpError {
  return new HttpError(
    404,
    t("There is no status page here, or it is a private one. Members of its organization see it when they are signed in; others need the link with its token."),
  );
}

/** Answers `/status/<page>` and what is below it. */
export async function answerStatus(ctx: Asking): Promise<Response> {
  const { kv } = ctx.state.services;
  const slug = ctx.params.page ?? "";
  const page = await findPageBySlug(kv, slug);
  if (page === null) throw notFound();
  return await answer(ctx, page, `/status/${slug}`, ctx.params.part ?? "");
}

/** Lets pages answer at host names of their own. */
export const statusHosts = define.middleware(async (ctx) => {
  const { kv, config } = ctx.state.services;
  const { hostname, pathname } = ctx.url;
  const part = pathname.slice(1);
  // What the service itself has at this host comes first, and asks no store for it.
  if (hostname === new URL(config.baseUrl).hostname || findPart(part) === null) {
    return await ctx.next();
  }
  const page = await findPageByHost(kv, hostname);
  return page === null ? await ctx.next() : await answer(ctx, page, "", part);
});

async function answer(
  { req, url, state }: Pick<Asking, "req" | "url" | "state">,
  page: StatusPage,
  base: string,
  path: string,
): Promise<Response> {
  const found = findPart(path);
  const token = page.isPublic ? null : url.searchParams.get("token");
  const isSeen = await maySee({ req, state }, page, token);
  if (found === null || (!isSeen && !found.part.isOpen)) throw notFound();
  const { part, badge } = found;
  const method = req.method === "HEAD" ? "GET" : req.method;
  const handle = method === "GET" ? part.GET : method === "POST" ? part.POST : undefined;
  if (handle === undefined) throw isSeen ? new HttpError(405) : notFound();
  const addresses = { base, token: hasToken(page, token) ? token : null };
  return await handle({ req, url, state, page, addresses, badge, maySee: isSeen });
}

function findPart(path: string): { readonly part: Part; readonly badge: string | null } | null {
  const [, badge = null, ending] = /^badges\/([0-9a-f]{32})\.(svg|json)$/.exec(path) ?? [];
  const name = badge === null ? path : `badges/*.${ending}`;
  const part = Object.hasOwn(PARTS, name) && !path.includes("*") ? PARTS[name] : undefined;
  return part === undefined ? null : { part, badge };
}

async function maySee(
  { req, state: { services: { kv, config } } }: Pick<Asked, "req" | "state">,
  page: StatusPage,
  token: string | null,
): Promise<boolean> {
  if (page.isPublic || hasToken(page, token)) return true;
  const session = readSessionToken(req, config);
  const live = session === null ? null : await readSession(kv, session);
  if (live === null || await effectiveRole(kv, page.organizationId, live.user) === null) {
    return false;
  }
  const organization = await findOrganization(kv, page.organizationId);
  const actor = {
    kind: "user" as const,
    user: live.user,
    isStrong: live.session.isStrong ?? false,
  };
  return organization !== null && !await lacksSecondFactor(kv, actor, organization);
}

/** What was made of a page a moment ago. */
interface Made {
  readonly version: string;
  readonly view: Promise<StatusView>;
  /** By its addresses. */
  readonly documents: Map<string, Promise<StatusDocument>>;
}

/** By organization: what many look at is read and made once. */
const made = new WeakMap<Deno.Kv, Map<string, Made>>();
const MAX_MADE = 200;
/** Maintenance begins and ends by the clock alone. */
const CLOCK_MS = 15 * SECOND_MS;

async function madeOf({ state, page }: Asked): Promise<Made> {
  const { kv, config } = state.services;
  const { organizationId } = page;
  const pages = made.get(kv) ?? new Map<string, Made>();
  made.set(kv, pages);
  const now = new Date();
  const stored = await viewVersion(kv, organizationId);
  const version = `${stored}/${Math.floor(now.getTime() / CLOCK_MS)}`;
  const known = pages.get(organizationId);
  if (known?.version === version) return known;
  if (pages.size >= MAX_MADE) pages.clear();
  const view = loadView(kv, page, pageUrl(config.baseUrl, page), now);
  const fresh = { version, view, documents: new Map() };
  pages.set(organizationId, fresh);
  // Whoever waits for it hears of the error; nobody else shall get it.
  view.catch(() => pages.delete(organizationId));
  return fresh;
}

async function viewOf(asked: Asked): Promise<StatusView> {
  return await (await madeOf(asked)).view;
}

/** What proxies and browsers may keep. */
function cacheControl({ isPublic }: StatusPage): string {
  return isPublic ? "public, max-age=60" : "private, no-store";
}

async function html(asked: Asked): Promise<Response> {
  const { page, addresses, state } = asked;
  const { view, documents } = await madeOf(asked);
  const key = JSON.stringify([currentLanguage(), addresses]);
  const document = documents.get(key) ??
    publicPage(await view, addresses, state.services.config.smtp !== null);
  documents.set(key, document);
  return documentResponse(await document, cacheControl(page));
}

function documentResponse(
  { html, policy }: StatusDocument,
  caching: string,
  init: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): Response {
  return new Response(html, {
    status: init.status ?? 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": caching,
      // In the language of whoever looks.
      "vary": "accept-language, cookie",
      ...init.headers,
    },
  });
}

async function json(asked: Asked): Promise<Response> {
  return Response.json(jsonOf(await viewOf(asked)), { headers: dataHeaders(asked.page) });
}

function dataHeaders(page: StatusPage): Record<string, string> {
  return {
    "cache-control": cacheControl(page),
    ...page.isPublic && { "access-control-allow-origin": "*" },
  };
}

async function feed(asked: Asked): Promise<Response> {
  return new Response(feedOf(await viewOf(asked)), {
    headers: {
      ...dataHeaders(asked.page),
      "content-type": "application/rss+xml; charset=utf-8",
      "vary": "accept-language, cookie",
      "x-content-type-options": "nosniff",
    },
  });
}

async function logo({ page, state }: Asked): Promise<Response> {
  const bytes = page.logo && await readLogo(state.services.kv, page.organizationId);
  if (page.logo === null || bytes === null) throw notFound();
  return new Response(bytes, {
    headers: {
      "content-type": page.logo.type,
      "cache-control": cacheControl(page),
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

/** Pictures are shown on other sites; a private page's monitors by their tokens as well. */
const BADGE_HEADERS = {
  "cache-control": "public, max-age=60",
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
};

async function badge(asked: Asked): Promise<Response> {
  const found = badgeOf(await viewOf(asked), asked.badge);
  if (found === null) throw notFound();
  return new Response(badgeSvg(found), {
    headers: {
      ...badgeHeaders(asked),
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    },
  });
}

async function shields(asked: Asked): Promise<Response> {
  const found = badgeOf(await viewOf(asked), asked.badge);
  if (found === null) throw notFound();
  return Response.json(shieldsJson(found), { headers: badgeHeaders(asked) });
}

function badgeHeaders({ badge, page }: Asked): Record<string, string> {
  return badge === null ? { ...BADGE_HEADERS, ...dataHeaders(page) } : BADGE_HEADERS;
}

async function message(
  { page, addresses }: Asked,
  title: string,
  text: string,
  { action = null, ...init }: Parameters<typeof documentResponse>[2] & {
    readonly action?: Parameters<typeof messagePage>[4];
  } = {},
): Promise<Response> {
  const document = await messagePage(page, addresses, title, text, action);
  return documentResponse(document, "private, no-store", init);
}

async function askForSubscription(asked: Asked): Promise<Response> {
  const { req, state, page } = asked;
  if (state.services.config.smtp === null) throw notFound();
  const email = fieldOf(await readForm(req), "email");
  try {
    const refused = await askToConfirm(state.services, page, email, state.clientAddress);
    if (refused === null) {
      return await message(
        asked,
        t("Check your mailbox"),
        t(
          "An email with a link to confirm is on its way. Without it, nothing is kept of your address.",
        ),
      );
    }
    const headers = { "retry-after": String(refused.retryAfterSec) };
    const text = t("Too many emails were requested. Try again in an hour.");
    return await message(asked, t("Not now"), text, { status: 429, headers });
  } catch (error) {
    if (error instanceof InvalidInput) {
      return await message(asked, t("This is no email address"), error.message, { status: 422 });
    }
    if (!(error instanceof MailFailure)) throw error;
    state.services.log.warn("cannot send a confirmation", { reason: error.message });
    const text = t("The email could not be sent. Try again later, or use the RSS feed.");
    return await message(asked, t("Not now"), text, { status: 503 });
  }
}

/** The address that a link is about, or the answer that says why it does not work. */
async function addressOf(
  asked: Asked,
  kind: "confirm" | "unsubscribe",
): Promise<{ readonly email: string; readonly subscription: string } | Response> {
  const subscription = asked.url.searchParams.get("subscription") ??
    (asked.req.method === "POST" ? fieldOf(await readForm(asked.req), "subscription") : "");
  const email = await readLink(asked.state.services, asked.page, kind, subscription);
  if (email !== null) return { email, subscription };
  if (!asked.maySee) throw notFound();
  const text = t("It is damaged or older than two days. Request a new email on the status page.");
  return await message(asked, t("This link does not work"), text, { status: 400 });
}

async function confirmPage(asked: Asked): Promise<Response> {
  const found = await addressOf(asked, "confirm");
  if (found instanceof Response) return found;
  const { email, subscription } = found;
  const text = t("Emails about incidents and maintenance go to {email}.", { email });
  return await message(asked, t("Confirm your subscription"), text, {
    action: { label: t("Subscribe"), part: "confirm", subscription },
  });
}

async function confirm(asked: Asked): Promise<Response> {
  const found = await addressOf(asked, "confirm");
  if (found instanceof Response) return found;
  const { kv } = asked.state.services;
  if (await subscribe(kv, asked.page.organizationId, found.email)) {
    return await message(
      asked,
      t("You are subscribed"),
      t("Emails go to {email}.", { email: found.email }),
    );
  }
  const text = t("This page has as many subscribers as it can have. Use the RSS feed.");
  return await message(asked, t("Not possible"), text, { status: 409 });
}

async function unsubscribePage(asked: Asked): Promise<Response> {
  const found = await addressOf(asked, "unsubscribe");
  if (found instanceof Response) return found;
  const { email, subscription } = found;
  return await message(asked, t("Unsubscribe?"), t("No more emails go to {email}.", { email }), {
    action: { label: t("Unsubscribe"), part: "unsubscribe", subscription },
  });
}

async function endSubscription(asked: Asked): Promise<Response> {
  const found = await addressOf(asked, "unsubscribe");
  if (found instanceof Response) return found;
  await unsubscribe(asked.state.services.kv, asked.page.organizationId, found.email);
  return await message(
    asked,
    t("You are unsubscribed"),
    t("{email} is not kept any more.", { email: found.email }),
  );
}
