/** Files of exports and imports, as they come and go. */
import type { Permission } from "../accounts/members.ts";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { insertAudit } from "../store/audit.ts";
import { zipOfParts } from "../store/objects/zip_parts.ts";
import { disposition } from "../ui/downloads.ts";
import type { SentFile } from "../ui/form.ts";
import { keyOfPart, partsOf, readPart, type TransferStores } from "./parts.ts";
import { receiptOf } from "./receipt.ts";
import { askForTransfer, isThere, type Place, type Transfer } from "./transfers.ts";

/** Of an upload: it is held in memory while it comes. */
export const MAX_UPLOAD_BYTES = 50_000_000;
/** What one needs who has an import take settings. */
export const SETTINGS_WRITE: readonly Permission[] = [
  "project:write",
  "alert:write",
  "dashboard:write",
  "issue:write",
  "issue:delete",
];
/** Names the format in `export.json`: imports know by it that errors stand in a file of their own. */
export const FORMAT = "watchpost-export-1";

/** What an export found, as an archive; the log tells of it. @returns null when there is no such file, or it has expired */
export async function exportFile(
  { sql, objects }: TransferStores,
  { id: projectId, slug, organizationId }: Place,
  transfer: Transfer,
): Promise<Response | null> {
  if (!isThere(transfer)) return null;
  const name = `${slug}-${transfer.askedAt.toISOString().slice(0, 10)}.zip`;
  await insertAudit(sql, {
    event: "user.export",
    organizationId,
    projectId,
    target: { kind: "project", id: projectId, label: name },
  });
  const about = { format: FORMAT, project: { id: projectId, slug }, ...receiptOf(transfer) };
  const zip = zipOfParts(
    { "export.json": `${JSON.stringify(about, null, 2)}\n` },
    partsOf(sql, transfer),
    (key) => readPart(objects, key),
  );
  return new Response(zip, {
    headers: {
      "content-type": "application/zip",
      "content-disposition": disposition(name),
      "cache-control": "private, no-store",
    },
  });
}

/**
 * Keeps a file and asks for its import.
 *
 * @param takesSettings also what it says of settings: whoever asks may change them
 * @returns the import's id
 * @throws {InvalidInput} for no file, or while too many wait
 */
export async function takeImport(
  { sql, objects }: TransferStores,
  project: Place,
  file: SentFile | null,
  by: string,
  takesSettings = false,
): Promise<string> {
  if (file === null) throw new InvalidInput("file", t("Choose a file."));
  const id = crypto.randomUUID();
  await objects.put(keyOfPart({ projectId: project.id, id }, 0, false), file.bytes);
  const label = file.name.toWellFormed().replaceAll(/\p{Cc}/gu, "").slice(0, 200) || "import";
  try {
    return await askForTransfer(sql, project, {
      kind: "import",
      id,
      label,
      takesSettings,
      by,
    });
  } catch (error) {
    await objects.delete(keyOfPart({ projectId: project.id, id }, 0, false));
    throw error;
  }
}
