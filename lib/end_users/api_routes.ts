/** Exports and deletions of what is stored of one end user, by programs. */
import { z } from "zod";
import { nameOfActor } from "../accounts/authorize.ts";
import { onOrganization } from "../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes, listReply, notFound } from "../api/route.ts";
import { checkIdentity, IDENTITY_KINDS } from "./identity.ts";
import { jobFile } from "./job_file.ts";
import { askForJob, findJob, type Job, listJobs } from "./jobs.ts";
import { ReceiptJson, receiptOf } from "./receipt.ts";

const NewJob = z.object({
  kind: z.enum(["export", "erase"]),
  identity: z.object({ kind: z.enum(IDENTITY_KINDS), value: z.string() }).describe(
    "Whom it is about",
  ),
});

const JOBS = "/organizations/:organization/end-user-data";

async function requireJob({ state, params }: ApiContext, organizationId: string): Promise<Job> {
  const job = await findJob(state.services.sql, organizationId, params.job ?? "");
  if (job === null) throw notFound();
  return job;
}

export const endUserRoutes: ApiRoutes = {
  [JOBS]: {
    GET: onOrganization("people:data", {
      summary: "Exports and deletions of end users' data, newest first",
      answer: z.array(ReceiptJson),
    }, async (ctx, { organization }) => {
      const jobs = await listJobs(ctx.state.services.sql, organization.id);
      return listReply(ctx, jobs.map(receiptOf));
    }),
    POST: onOrganization("people:data", {
      summary: "Exports or deletes what is stored of an end user in all projects",
      body: NewJob,
      answer: ReceiptJson,
      status: 202,
    }, async (ctx, { organization }, { body }) => {
      const { services, actor } = ctx.state;
      const who = checkIdentity(body.identity.kind, body.identity.value);
      const id = await askForJob(services, organization.id, body.kind, who, nameOfActor(actor));
      const job = await findJob(services.sql, organization.id, id);
      if (job === null) throw notFound();
      return receiptOf(job);
    }),
  },
  [`${JOBS}/:job`]: {
    GET: onOrganization("people:data", {
      summary: "How far an export or deletion is; its receipt once it is done",
      answer: ReceiptJson,
    }, async (ctx, { organization }) => receiptOf(await requireJob(ctx, organization.id))),
  },
  [`${JOBS}/:job/download`]: {
    GET: onOrganization("people:data", {
      summary: "What an export found, for seven days",
      file: "application/zip",
    }, async (ctx, { organization }) => {
      const file = await jobFile(
        ctx.state.services,
        await requireJob(ctx, organization.id),
        true,
      );
      if (file === null) throw ApiError.detail(404, "There is no such file, or it has expired.");
      return file;
    }),
  },
};
