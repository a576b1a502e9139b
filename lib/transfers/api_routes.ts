/** Exports and imports of a project's data, by programs. */
import { z } from "zod";
import { nameOfActor } from "../accounts/authorize.ts";
import { onProject, requireProject } from "../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes, listReply, notFound } from "../api/route.ts";
import { isOfCalendar } from "../core/time.ts";
import { readFile } from "../ui/form.ts";
import { exportFile, MAX_UPLOAD_BYTES, SETTINGS_WRITE, takeImport } from "./files.ts";
import { receiptOf, TransferJson } from "./receipt.ts";
import {
  askForTransfer,
  findTransfer,
  listTransfers,
  type Transfer,
  type TransferKind,
} from "./transfers.ts";

const instant = z.coerce.date().refine(
  (date) => isOfCalendar(date.getTime()),
  "write a date as 2026-11-20T12:00:00Z",
);
const NewExport = z.object({ start: instant.optional(), end: instant.optional() });

const ImportQuery = z.object({
  settings: z.enum(["true", "false"], "write true or false").default("false").describe(
    "Also takes the settings that are in the file and not set here: needs project:write, alert:write, dashboard:write, issue:write and issue:delete",
  ),
});

const PROJECT = "/projects/:organization/:project";

async function requireTransfer(
  { state, params }: ApiContext,
  projectId: string,
  kind: TransferKind,
): Promise<Transfer> {
  const found = await findTransfer(state.services.sql, projectId, params[kind] ?? "");
  if (found?.kind !== kind) throw notFound();
  return found;
}

function listOf(kind: TransferKind, summary: string) {
  return onProject(
    "people:data",
    { summary, answer: z.array(TransferJson) },
    async (ctx, access) => {
      const all = await listTransfers(ctx.state.services.sql, access.project.id);
      return listReply(ctx, all.filter((each) => each.kind === kind).map(receiptOf));
    },
  );
}

function oneOf(kind: TransferKind, summary: string) {
  return onProject(
    "people:data",
    { summary, answer: TransferJson },
    async (ctx, { project }) => receiptOf(await requireTransfer(ctx, project.id, kind)),
  );
}

export const transferRoutes: ApiRoutes = {
  [`${PROJECT}/exports`]: {
    GET: listOf("export", "Exports of a project's data, newest first"),
    POST: onProject("people:data", {
      summary: "Exports a project's data of a time range; all of it when there is none",
      body: NewExport,
      answer: TransferJson,
      status: 202,
    }, async (ctx, { project }, { body: { start, end } }) => {
      const { services: { sql }, actor } = ctx.state;
      if (start !== undefined && end !== undefined && end <= start) {
        throw ApiError.detail(400, "The end is not after the start.");
      }
      const id = await askForTransfer(sql, project, {
        kind: "export",
        by: nameOfActor(actor),
        ...(start !== undefined && { since: start }),
        ...(end !== undefined && { until: end }),
      });
      const made = await findTransfer(sql, project.id, id);
      if (made === null) throw notFound();
      return receiptOf(made);
    }),
  },
  [`${PROJECT}/exports/:export`]: { GET: oneOf("export", "How far an export is") },
  [`${PROJECT}/exports/:export/download`]: {
    GET: onProject("people:data", {
      summary: "The files of an export as one archive, for seven days",
      file: "application/zip",
    }, async (ctx, { project }) => {
      const transfer = await requireTransfer(ctx, project.id, "export");
      const file = await exportFile(ctx.state.services, project, transfer);
      if (file === null) throw ApiError.detail(404, "There is no such file, or it has expired.");
      return file;
    }),
  },
  [`${PROJECT}/imports`]: {
    GET: listOf("import", "Imports into a project, newest first"),
    POST: onProject("people:data", {
      summary: "Imports a file: an export, OTLP as JSON lines, or pages of Sentry's API",
      query: ImportQuery,
      upload: z.object({ file: z.file().describe("Up to 50 MB: zip, gzip, JSON or JSON lines") }),
      answer: TransferJson,
      status: 202,
      errors: [400, 413],
    }, async (ctx, { project }, { query }) => {
      const { services, actor } = ctx.state;
      const takesSettings = query.settings === "true";
      for (const scope of takesSettings ? SETTINGS_WRITE : []) await requireProject(ctx, scope);
      const file = await readFile(ctx.req, "file", MAX_UPLOAD_BYTES);
      const id = await takeImport(services, project, file, nameOfActor(actor), takesSettings);
      const made = await findTransfer(services.sql, project.id, id);
      if (made === null) throw notFound();
      return Response.json(receiptOf(made), { status: 202 });
    }),
  },
  [`${PROJECT}/imports/:import`]: {
    GET: oneOf("import", "How far an import is, and what became of its data"),
  },
};
