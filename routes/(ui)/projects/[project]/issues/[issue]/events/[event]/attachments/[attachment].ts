import { HttpError } from "fresh";
import { attachmentsOf } from "@/lib/errors/events.ts";
import { disposition, imageType, MAX_PREVIEW_BYTES, textPreview } from "@/lib/ui/downloads.ts";
import { requireEvent } from "@/lib/errors/load_issue_page.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

/** Whatever the file is, nothing in it runs, loads or is shown inside another page. */
const SANDBOX = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "cache-control": "private, max-age=3600",
};

/** A file that came with an event, to be saved; with `?preview`, shown if it is a picture or a text. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { sql, objects } = ctx.state.services;
    const { issue = "", event = "", attachment = "" } = ctx.params;
    const { eventId } = await requireEvent(sql, project.id, issue, event);
    const files = await attachmentsOf(sql, project.id, eventId);
    const file = files.find(({ attachmentId }) => attachmentId === attachment);
    if (file === undefined) throw new HttpError(404, t("This event has no such attachment."));
    const bytes = await objects.get(file.blobKey);
    if (bytes === null) {
      throw new HttpError(
        404,
        t("The attachment's bytes are gone: it has expired, or was removed."),
      );
    }
    return ctx.url.searchParams.has("preview")
      ? preview(bytes)
      : new Response(new Uint8Array(bytes), {
        headers: {
          ...SANDBOX,
          "content-type": "application/octet-stream",
          "content-disposition": disposition(file.filename),
        },
      });
  },
});

function preview(bytes: Uint8Array): Response {
  const image = imageType(bytes);
  if (image !== null) {
    return new Response(new Uint8Array(bytes), { headers: { ...SANDBOX, "content-type": image } });
  }
  const text = textPreview(bytes);
  if (text === null) throw new HttpError(415, t("There is no preview of this kind of file."));
  const more = bytes.length > MAX_PREVIEW_BYTES
    ? `\n${t("… (download the file for the rest)")}`
    : "";
  return new Response(text + more, {
    headers: { ...SANDBOX, "content-type": "text/plain; charset=utf-8" },
  });
}
