/** What a type of tracker is: its words and fields, its addresses, its API, and what its webhook tells. */
import type { z } from "zod";
import type { Message } from "../../core/language/translate.ts";
import type { Ask } from "./ask.ts";

/** Whether people there still work on it. */
export type LinkState = "open" | "closed" | "unknown";

/** What is asked for of a connection, by the names of the tracker's fields; nothing of it is secret. */
export type TrackerSettings = Readonly<Record<string, string>>;

/** What must never be shown. */
export interface TrackerSecrets {
  /** `""`: filled forms and links only. */
  readonly token: string;
  /** What the tracker's webhook proves itself by. */
  readonly hookSecret: string;
}

/** An issue that is to be made there. */
export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** A user's name there; `""` for nobody. */
  readonly assignee: string;
}

/** An issue as the tracker has it. */
export interface RemoteIssue {
  /** As its API names it: `12`, or `OPS-7`. */
  readonly ref: string;
  readonly title: string;
  readonly state: LinkState;
}

export interface TrackerField {
  readonly name: string;
  readonly label: Message;
  readonly help: Message;
  readonly placeholder: string;
  readonly isOptional?: true;
  /** Filled in for a new connection. */
  readonly initial?: string;
  /** Checks what was entered, without outer blanks, and makes of it what is kept. */
  readonly schema: z.ZodType<string, string>;
}

/** A commit as a push tells of it. */
export interface HeardCommit {
  readonly id: string;
  readonly message: string;
  readonly timestamp: Date;
  readonly author: { readonly name: string; readonly email: string };
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
  /** `owner/repo` */
  readonly repository: string;
}

/** What a webhook says; null for what means nothing here. */
export type Heard =
  | (RemoteIssue & {
    readonly kind: "issue";
    /** When the issue was changed last, by the tracker's clock. */
    readonly at: Date | null;
  })
  | { readonly kind: "push"; readonly commits: readonly HeardCommit[] }
  | null;

/** A request of a tracker, as it arrived. */
export interface HookRequest {
  readonly headers: Headers;
  /** Of its address. */
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
}

export interface TrackerHook {
  /** How the tracker is set up to tell us. */
  readonly help: Message;
  /** The secret is part of the address. @default false */
  readonly isSecretInAddress?: true;
  /** Whether the request comes from who knows the secret; compares in constant time. */
  isSigned(request: HookRequest, secret: string): boolean;
  /**
   * What this delivery is known again by. Where the body is signed its digest is one of them: a name in a header is not
   * part of what was signed.
   */
  deliveriesOf(request: HookRequest): readonly string[];
  /** @param body JSON that was parsed; anything at all */
  hear(settings: TrackerSettings, headers: Headers, body: unknown): Heard;
}

export interface TrackerApi {
  /** Asks whether address, project and token are right. @returns a sentence for who set it up */
  test(ask: Ask, settings: TrackerSettings): Promise<string>;
  create(ask: Ask, settings: TrackerSettings, draft: Draft): Promise<RemoteIssue>;
  read(ask: Ask, settings: TrackerSettings, ref: string): Promise<RemoteIssue>;
  close(ask: Ask, settings: TrackerSettings, ref: string): Promise<void>;
  /** What proves who we are, in every request. */
  authorization(settings: TrackerSettings, token: string): Readonly<Record<string, string>>;
  /** Where the token is made, and what it must be allowed to do. */
  readonly tokenHelp: Message;
  /** New issues may name labels, and whom they are assigned to. */
  readonly takes: { readonly labels: boolean; readonly assignee: boolean };
}

export interface TrackerKind {
  readonly label: Message;
  /** One line for the choice of a type. */
  readonly summary: Message;
  readonly fields: readonly TrackerField[];
  /** Where it leads, as people say it: `acme/shop on github.com`. */
  placeOf(settings: TrackerSettings): string;
  /** The form of a new issue, filled in; null where the settings do not tell where it is. */
  formUrl(settings: TrackerSettings, draft: Draft): string | null;
  /** The issue that a pasted address or key names; null when it is none of this tracker's. */
  refOf(settings: TrackerSettings, text: string): string | null;
  /** How people name the issue: `acme/shop#12`. */
  keyOf(settings: TrackerSettings, ref: string): string;
  /** Its page. */
  urlOf(settings: TrackerSettings, ref: string): string;
  /** Null where there is none. */
  readonly api: TrackerApi | null;
  readonly hook: TrackerHook;
}

/** Longer addresses are refused by browsers and servers; what is too long loses the end of its body. */
const MAX_URL_LENGTH = 8_000;

/**
 * An address with parameters of which the last is cut until all fits.
 *
 * @param params in order; those that are empty are left out
 */
export function filledUrl(
  base: string,
  params: readonly (readonly [name: string, value: string])[],
): string {
  const kept = params.filter(([, value]) => value !== "");
  const write = (pairs: typeof kept) => {
    const query = pairs.map((pair) => pair.map(escape).join("=")).join("&");
    return query === "" ? base : `${base}${base.includes("?") ? "&" : "?"}${query}`;
  };
  const whole = write(kept);
  const last = kept.at(-1);
  if (whole.length <= MAX_URL_LENGTH || last === undefined) return whole;
  const room = MAX_URL_LENGTH - write([...kept.slice(0, -1), [last[0], ""]]).length;
  return write([...kept.slice(0, -1), [last[0], cutEscaped(last[1], Math.max(room, 0))]]);
}

function escape(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** As much of a text as fits when it is escaped. */
export function cutEscaped(text: string, room: number): string {
  let used = 0;
  let end = 0;
  for (const letter of text) {
    used += escape(letter).length;
    if (used > room) break;
    end += letter.length;
  }
  return text.slice(0, end);
}
