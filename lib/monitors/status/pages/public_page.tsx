/** The page that the public sees: HTML without a script, from a view alone. */
import { currentLanguage, message, rich, t } from "@/lib/core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import {
  formatDate,
  formatDateTime,
  formatMinute,
  formatTime,
  zoneName,
} from "@/lib/ui/format_time.ts";
import { uptimeWords } from "../../uptime/sums.ts";
import { stateWords } from "../posts.ts";
import type { StatusPage } from "../status_page.ts";
import {
  OVERALL_WORDS,
  type ShownEntry,
  type ShownPost,
  STATE_LABELS,
  type StatusView,
} from "../view.ts";
import { Bars } from "./bars.tsx";
import { styleOf } from "./style.ts";

/** HTML with the policy that it can be sent under. */
export interface StatusDocument {
  readonly html: string;
  /** Value of `content-security-policy`. */
  readonly policy: string;
}

/** Where parts of the page are, as a browser asks for them. */
export interface PageAddresses {
  /** Path before all others: `/status/acme`, or `""` on a host name of its own. */
  readonly base: string;
  /** Token of a private page to be handed on, or null. */
  readonly token: string | null;
}

/** Path of a part of the page, as `json`. */
export function partPath({ base, token }: PageAddresses, part: string): string {
  return `${base}/${part}${token === null ? "" : `?token=${encodeURIComponent(token)}`}`;
}

/**
 * Makes the page.
 *
 * @param hasMail whether people can subscribe by e-mail
 */
export async function publicPage(
  view: StatusView,
  addresses: PageAddresses,
  hasMail: boolean,
): Promise<StatusDocument> {
  const { page, overall, groups, open, upcoming, past } = view;
  return await documentOf(
    page,
    addresses,
    `${t(OVERALL_WORDS[overall])} · ${page.title}`,
    <>
      <section class={`banner ${overall}`} aria-label={t("Current status")}>
        {t(OVERALL_WORDS[overall])}
      </section>
      <AsOf view={view} />
      <NextMaintenance post={upcoming[0]} />
      <Posts title={t("Now")} posts={open} />
      {groups.map(({ name, entries }) => (
        <section key={name}>
          <h2>{name === "" ? t("Services") : name}</h2>
          {entries.map((entry) => <Entry key={entry.badge} entry={entry} from={view.firstDay} />)}
        </section>
      ))}
      {groups.length === 0 && <p class="note">{t("No service is shown on this page yet.")}</p>}
      <Posts title={t("Planned maintenance")} posts={upcoming} />
      {hasMail && <Subscribe addresses={addresses} />}
      <section>
        <h2>{t("What happened in the last 90 days")}</h2>
        {past.length === 0
          ? (
            <p class="note">
              {open.length === 0 ? t("No incidents were reported.") : t("Nothing else.")}
            </p>
          )
          : past.map((post) => <Post key={post.postId} post={post} />)}
      </section>
    </>,
  );
}

/** What a link of a mail leads to: done by a button, since programs that check mails open every link. */
interface Action {
  readonly label: string;
  /** `confirm` or `unsubscribe`. */
  readonly part: string;
  /** As in the link. */
  readonly subscription: string;
}

/** A page with a sentence, and what there is to do. */
export async function messagePage(
  page: StatusPage,
  addresses: PageAddresses,
  title: string,
  text: string,
  action: Action | null = null,
): Promise<StatusDocument> {
  return await documentOf(
    page,
    addresses,
    title,
    <section>
      <h2>{title}</h2>
      <p>{text}</p>
      {action !== null && (
        <form method="post" action={`${addresses.base}/${action.part}`}>
          <input type="hidden" name="subscription" value={action.subscription} />
          <button type="submit">{action.label}</button>
        </form>
      )}
      <p>
        <a href={addresses.base || "/"}>{t("To the status page")}</a>
      </p>
    </section>,
  );
}

async function documentOf(
  page: StatusPage,
  addresses: PageAddresses,
  title: string,
  content: ComponentChildren,
): Promise<StatusDocument> {
  const style = styleOf(page);
  const logo = page.logo === null ? null : partPath(addresses, "logo");
  const html = renderToString(
    <html lang={currentLanguage()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {!page.isPublic && <meta name="robots" content="noindex" />}
        <title>{title}</title>
        <link rel="icon" href={logo ?? "data:,"} />
        <link
          rel="alternate"
          type="application/rss+xml"
          title={page.title}
          href={partPath(addresses, "feed.xml")}
        />
        <style>{style}</style>
      </head>
      <body>
        <header>
          <div class="wide">
            <div class="brand">
              {logo !== null && <img src={logo} alt="" />}
              <h1>{page.title}</h1>
            </div>
            {page.about !== "" && <p>{page.about}</p>}
          </div>
        </header>
        <main class="wide">{content}</main>
        <footer>
          <nav class="wide" aria-label={t("More")}>
            <a href={partPath(addresses, "feed.xml")}>RSS</a>
            <a href={partPath(addresses, "json")}>JSON</a>
            <span>{t("Times are in UTC.")}</span>
          </nav>
        </footer>
      </body>
    </html>,
  );
  return { html: `<!doctype html>${html}`, policy: await policyOf(style) };
}

/** Nothing but this very style, and the logo. */
async function policyOf(style: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  return [
    "default-src 'none'",
    `style-src 'sha256-${new Uint8Array(digest).toBase64()}'`,
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function AsOf({ view: { asOf, isStale } }: { readonly view: StatusView }) {
  if (asOf === null) return <p class="note">{t("The services have not been looked at yet.")}</p>;
  return (
    <p class="note">
      {isStale && (
        <span class="stale">
          {t("This is the last state that is known; newer figures cannot be read at the moment.")}
          {" "}
        </span>
      )}
      {rich("As of {time}", {
        time: <time datetime={asOf.toISOString()}>{formatDateTime(asOf)}</time>,
      })}
    </p>
  );
}

/** Below the banner, since the planned ones stand below all services. */
function NextMaintenance({ post }: { readonly post: ShownPost | undefined }) {
  if (post === undefined) return null;
  return (
    <p class="note">
      {rich("Next maintenance: {title}, {time}", {
        title: <a href={`#${post.postId}`}>{post.title}</a>,
        time: <Time at={post.startsAt} />,
      })}
    </p>
  );
}

function Entry({ entry, from }: { readonly entry: ShownEntry; readonly from: Date }) {
  const { name, state, measured } = entry;
  return (
    <article class="card">
      <div class="row">
        <h3>{name}</h3>
        <span class={`state ${state}`}>{t(STATE_LABELS[state])}</span>
      </div>
      {measured !== null && (
        <>
          <Bars name={name} days={measured.days} from={from} />
          <dl class="shares">
            {(["24h", "7d", "30d", "90d"] as const).map((period) => (
              <div key={period}>
                <dt>{t(PERIOD_LABELS[period])}</dt>
                <dd>{uptimeWords(measured.uptime[period])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </article>
  );
}

const PERIOD_LABELS = {
  "24h": message("24 hours"),
  "7d": message("7 days"),
  "30d": message("30 days"),
  "90d": message("90 days"),
} as const;

function Posts({ title, posts }: { readonly title: string; readonly posts: readonly ShownPost[] }) {
  if (posts.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      {posts.map((post) => <Post key={post.postId} post={post} />)}
    </section>
  );
}

const TONES = { none: "unknown", degraded: "degraded", partial: "degraded", down: "down" } as const;

const PHASE_LABELS = {
  open: message("Under way"),
  upcoming: message("Planned"),
  past: message("Completed"),
} as const;

function Post({ post }: { readonly post: ShownPost }) {
  const { postId, kind, title, impact, state, names, updates, phase } = post;
  const { startsAt, endsAt, closedAt } = post;
  const isMaintenance = kind === "maintenance";
  const end = endsAt ?? closedAt;
  const tone = isMaintenance ? "maintenance" : state === "resolved" ? "up" : TONES[impact];
  return (
    <article class="card" id={postId}>
      <div class="row">
        <h3>{title}</h3>
        <span class={`state ${tone}`}>
          {isMaintenance && state === "planned" ? t(PHASE_LABELS[phase]) : stateWords(state)}
        </span>
      </div>
      <p class="note">
        {end === null
          ? rich("Since {time}", { time: <Time at={startsAt} /> })
          : rich("From {start} to {end}", {
            start: <Time at={startsAt} />,
            end: <Time at={end} from={startsAt} />,
          })}
        {names.length > 0 && ` · ${names.join(", ")}`}
      </p>
      <ol class="updates">
        {updates.toReversed().map((update) => (
          <li key={update.updateId}>
            <p class="meta">
              {stateWords(update.state)} · <Time at={update.at} />
            </p>
            <p>{update.text}</p>
          </li>
        ))}
      </ol>
    </article>
  );
}

function Subscribe({ addresses }: { readonly addresses: PageAddresses }) {
  return (
    <section>
      <h2>{t("Get updates by email")}</h2>
      <form method="post" action={partPath(addresses, "subscribe")}>
        <div>
          <label for="email">{t("Email")}</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="email"
            maxLength={254}
            required
          />
        </div>
        <button type="submit">{t("Subscribe")}</button>
      </form>
      <p class="note">
        {t("You get an email with a link to confirm it. Every email has a link to unsubscribe.")}
      </p>
    </section>
  );
}

interface TimeProps {
  readonly at: Date;
  /** The day of which has been said. */
  readonly from?: Date;
}

/** To the minute, as people plan. */
function Time({ at, from }: TimeProps) {
  const isSameDay = from !== undefined && formatDate(from) === formatDate(at);
  return (
    <time datetime={at.toISOString()}>
      {isSameDay ? `${formatTime(at)} ${zoneName(at)}` : formatMinute(at)}
    </time>
  );
}
