import { clippedName, readText } from "../fields.ts";
import { blobKey } from "../ids.ts";
import { TEXT } from "../limits.ts";
import { decoded, idIn, type ItemDecoder, ItemError } from "./item_decoder.ts";

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
  const { projectId, receivedAt } = context;
  const attachmentId = idIn(context, "attachment");
  const filename = cleanFilename(readText(header.filename) ?? "");
  return decoded({
    kind: "attachment",
    attachmentId,
    eventId,
    timestamp: receivedAt,
    receivedAt,
    filename,
    contentType: contentTypeOf(header.content_type, filename),
    attachmentType,
    blob: { key: blobKey("attachments", projectId, receivedAt, attachmentId), bytes: payload },
  });
};

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
