import { blobKey } from "../ids.ts";
import { clippedName, readText } from "../fields.ts";
import { decoded, idIn, type ItemContext, type ItemDecoder, ItemError } from "./item_decoder.ts";
import { TEXT } from "../limits.ts";

/** Crash dumps need symbols to be of use, which Watchpost does not take. */
const UNSUPPORTED = new Set([
  "event.minidump",
  "event.applecrashreport",
  "playstation.prosperodump",
  "unreal.context",
  "unreal.logs",
  "nswitch.dying_message",
]);

/** A file beside an event, which may come before it, with it, after it, or never. */
export const decodeAttachment: ItemDecoder = ({ header, payload }, context) => {
  const attachmentType = clippedName(header.attachment_type, TEXT.word) ?? "event.attachment";
  if (UNSUPPORTED.has(attachmentType)) throw new ItemError("unsupported", attachmentType);
  const eventId = context.companionId;
  if (eventId === null) throw new ItemError("invalid", "no_event_id");
  return decoded(attachmentOf(
    { eventId, attachmentType, filename: header.filename, contentType: header.content_type },
    payload,
    context,
  ));
};

export interface SentFile {
  readonly eventId: string;
  readonly attachmentType: string;
  readonly filename: unknown;
  readonly contentType: unknown;
}

/** The record of a file. */
export function attachmentOf(
  { eventId, attachmentType, ...sent }: SentFile,
  bytes: Uint8Array,
  context: ItemContext,
) {
  const attachmentId = idIn(context, "attachment");
  const filename = cleanFilename(readText(sent.filename) ?? "");
  return {
    kind: "attachment" as const,
    attachmentId,
    eventId,
    timestamp: context.receivedAt,
    receivedAt: context.receivedAt,
    filename,
    contentType: contentTypeOf(sent.contentType, filename),
    attachmentType,
    blob: {
      key: blobKey("attachments", context.projectId, context.receivedAt, attachmentId),
      bytes,
    },
  };
}

/** For people only, and never a path: without folders, control and direction characters. */
function cleanFilename(sent: string): string {
  const name = sent.slice(0, 1_000).split(/[/\\]/).pop() ?? "";
  const clean = name
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .replace(/^\.+/, "")
    .trim();
  return clippedName(clean, TEXT.name) ?? "attachment";
}

const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/;

const BY_EXTENSION: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  log: "text/plain",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "text/yaml",
  yml: "text/yaml",
  zip: "application/zip",
};

function contentTypeOf(sent: unknown, filename: string): string {
  const type = readText(sent)?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (MIME.test(type)) return type;
  const extension = filename.split(".").pop()?.toLowerCase() ?? "";
  return (Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined) ??
    "application/octet-stream";
}
