import { z } from "zod";
import { hasSecret, hostOf, namedDelivery, textAt, timeOf, titleOf } from "../reading.ts";
import {
  cutEscaped,
  type Heard,
  type TrackerField,
  type TrackerKind,
  type TrackerSettings,
} from "../tracker.ts";
import { message, t } from "@/lib/core/language/translate.ts";

const noAddress = {
  error: () => t("Enter an address that starts with https:// or http://."),
};
const MAX_TEMPLATE = 1_000;
const MAX_URL_LENGTH = 8_000;

/** An address with names in braces, which stand behind its host. */
function templateField(
  field: Omit<TrackerField, "schema">,
  placeholder: string | null,
): TrackerField {
  return {
    ...field,
    schema: z.string().max(MAX_TEMPLATE, noAddress).refine(isTemplate, noAddress).refine(
      (text) => placeholder === null || text.includes(placeholder),
      { error: () => t("The address must have {place} in it.", { place: placeholder ?? "" }) },
    ),
  };
}

function isTemplate(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && !/[{}]|%7[bd]/i.test(url.host);
}

/** Any other tracker, by the addresses of its pages. */
export const custom: TrackerKind = {
  label: message("Another tracker"),
  summary: message("Any tracker whose pages have addresses: Linear, Redmine, Bugzilla, Trac …"),
  fields: [
    templateField({
      name: "formUrl",
      label: message("Address of the form for a new issue"),
      help: message("{title} and {body} are replaced."),
      placeholder: "https://bugs.example.com/new?summary={title}&text={body}",
    }, null),
    templateField({
      name: "issueUrl",
      label: message("Address of an issue"),
      help: message("{key} is replaced."),
      placeholder: "https://bugs.example.com/issues/{key}",
    }, "{key}"),
  ],
  placeOf: ({ issueUrl = "" }) => hostOf(issueUrl.replace("{key}", "")),
  formUrl({ formUrl = "" }, { title, body }) {
    const titled = formUrl.replaceAll("{title}", () => encodeURIComponent(title.toWellFormed()));
    const room = MAX_URL_LENGTH - titled.length;
    return titled.replaceAll("{body}", () => encodeURIComponent(cutEscaped(body, room)));
  },
  refOf({ issueUrl = "" }, text) {
    if (/^[\w][\w.#-]{0,99}$/.test(text)) return text;
    const [before = "", after = ""] = issueUrl.split("{key}", 2);
    const isLike = text.startsWith(before) && text.endsWith(after);
    const key = isLike ? text.slice(before.length, text.length - after.length) : "";
    return /^[\w][\w.-]{0,99}$/.test(key) ? key : null;
  },
  keyOf: (_settings, ref) => ref,
  urlOf: ({ issueUrl = "" }, ref) => issueUrl.replaceAll("{key}", () => encodeURIComponent(ref)),
  api: null,
  hook: {
    help: message(
      'Post {"issue": "<key>", "state": "closed"} (or "open") as JSON to the address, with the secret in the header X-Watchpost-Token.',
    ),
    isSigned: (request, secret) => hasSecret(request, "x-watchpost-token", secret),
    deliveriesOf: ({ headers }) => namedDelivery(headers, "x-watchpost-delivery"),
    hear,
  },
};

function hear(_settings: TrackerSettings, _headers: Headers, body: unknown): Heard {
  const [ref, state] = [textAt(body, "issue"), textAt(body, "state")];
  if (ref === "" || (state !== "open" && state !== "closed")) return null;
  const at = timeOf(textAt(body, "at"));
  return { kind: "issue", ref, state, title: titleOf(textAt(body, "title")), at };
}
