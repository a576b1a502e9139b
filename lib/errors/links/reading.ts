/** Reading what trackers answer and tell: foreign JSON of which anything may be missing. */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { sameSecret } from "../../accounts/secrets.ts";
import { storable } from "../../core/errors.ts";
import { asList, asObject, asObjects } from "../../ui/json.ts";
import { TrackerFailure } from "./ask.ts";
import type { HeardCommit, HookRequest, TrackerField } from "./tracker.ts";
import { type Message, message, t } from "../../core/language/translate.ts";
import { isOfCalendar } from "../../core/time.ts";

const MAX_TITLE = 500;
const MAX_MESSAGE = 10_000;
const MAX_COMMITS = 500;
/** A commit that touches more is a move of everything, which says nothing about an error. */
const MAX_FILES = 2_000;

/** A value within nested objects as text; `""` when it is not there. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  let at: unknown = value;
  for (const name of path) at = asObject(at)?.[name];
  return plainText(at);
}

function plainText(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? storable(value).toWellFormed() : "";
}

/** A title as it is kept. */
export function titleOf(text: string): string {
  return text.slice(0, MAX_TITLE).toWellFormed();
}

/** A time as the tracker writes it: ISO 8601, as GitLab's `2026-11-23 20:00:00 UTC`, or milliseconds; else null. */
export function timeOf(text: string): Date | null {
  const readable = /^\d{12,14}$/.test(text)
    ? Number(text)
    : text.replace(/^(\S+) (\S+) UTC$/, "$1T$2Z");
  const time = new Date(readable);
  return text === "" || !isOfCalendar(time.getTime()) ? null : time;
}

/** What an answer must have, or else nothing can be done with it. @throws {TrackerFailure} */
export function needed(text: string, what: Message): string {
  if (text !== "") return text;
  throw new TrackerFailure(
    t("The tracker's response lacks {what}. Check the address.", { what: t(what) }),
    200,
    false,
  );
}

/** The commits of a push, as GitHub, GitLab and Gitea all write them. */
export function commitsOf(body: unknown, repository: string): HeardCommit[] {
  const files = (value: unknown) =>
    asList(value).map(plainText).filter((path) => path !== "").slice(0, MAX_FILES);
  return asObjects(asObject(body)?.commits).slice(0, MAX_COMMITS).flatMap((raw) => {
    const id = textAt(raw, "id");
    if (!/^[0-9a-f]{7,64}$/i.test(id)) return [];
    return [{
      id: id.toLowerCase(),
      message: textAt(raw, "message").slice(0, MAX_MESSAGE).toWellFormed(),
      timestamp: timeOf(textAt(raw, "timestamp")) ?? new Date(),
      author: { name: textAt(raw, "author", "name"), email: textAt(raw, "author", "email") },
      added: files(raw.added),
      modified: files(raw.modified),
      removed: files(raw.removed),
      repository,
    }];
  });
}

/**
 * Whether a header is the HMAC-SHA256 of the body by the secret, in hex.
 *
 * @param prefix before the digits, as `sha256=`
 */
export function hasHmac(
  { headers, body }: HookRequest,
  name: string,
  secret: string,
  prefix = "",
): boolean {
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  return sameSecret(headers.get(name) ?? "", prefix + digest);
}

/** Whether the secret stands in a header, or in the address as `?secret=`. */
export function hasSecret({ headers, query }: HookRequest, name: string, secret: string): boolean {
  return sameSecret(headers.get(name) ?? query.get("secret") ?? "", secret);
}

/** What a delivery is known again by: the name in a header, where there is one, and what was signed. */
export function signedDelivery({ headers, body }: HookRequest, name: string): string[] {
  return [
    ...namedDelivery(headers, name),
    `sha256:${createHash("sha256").update(body).digest("hex")}`,
  ];
}

const MAX_DELIVERY_NAME = 200;

/** The name of a delivery, of a tracker that signs nothing. */
export function namedDelivery(headers: Headers, name: string): string[] {
  const given = headers.get(name)?.slice(0, MAX_DELIVERY_NAME) ?? "";
  return given === "" ? [] : [given];
}

const noAddress = {
  error: () => t("Enter an address that starts with https:// or http://."),
};
const MAX_ADDRESS = 500;

/** The field of a server's address, kept without a slash at its end. */
export function addressField(
  field: Pick<TrackerField, "help" | "placeholder"> & { readonly initial?: string },
): TrackerField {
  return {
    name: "url",
    label: message("Address"),
    ...field,
    schema: z.string().max(MAX_ADDRESS, noAddress)
      .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), noAddress)
      .transform((text) => new URL(text))
      .refine(
        ({ username, password }) => username === "" && password === "",
        { error: () => t("Enter an address without a user name and a password.") },
      )
      .transform(({ origin, pathname }) => origin + pathname.replace(/\/+$/, "")),
  };
}

/** The field of a text of one form. */
export function textField(
  field: Omit<TrackerField, "schema">,
  pattern: RegExp,
  problem: Message,
): TrackerField {
  const error = () => t(problem);
  const schema = z.string().max(200, { error })
    .refine((text) => (text === "" && field.isOptional === true) || pattern.test(text), { error });
  return { ...field, schema };
}

/** Labels of new issues, with commas between. */
export const LABELS_FIELD: TrackerField = textField(
  {
    name: "labels",
    label: message("Labels"),
    help: message("Of issues that are made from here; with commas between."),
    placeholder: "bug, production",
    isOptional: true,
  },
  /^[^\0\n]+$/,
  message("Enter the names of labels, with commas between."),
);

/** Labels as they were entered. */
export function labelsOf(text: string): string[] {
  return text.split(",").map((label) => label.trim()).filter((label) => label !== "").slice(0, 20);
}

/**
 * The rest of an address below a page of the tracker; null for an address elsewhere.
 *
 * @param base without a slash at its end
 */
export function pathBelow(base: string, text: string): string | null {
  const [url, root] = [URL.parse(text), URL.parse(base)];
  if (url === null || root === null || url.host !== root.host) return null;
  const prefix = `${root.pathname.replace(/\/$/, "")}/`;
  return url.pathname.toLowerCase().startsWith(prefix.toLowerCase())
    ? url.pathname.slice(prefix.length)
    : null;
}

/** The host of an address, as it is shown. */
export function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
