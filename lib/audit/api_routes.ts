/** The audit log in Sentry's API. */
import { z } from "zod";
import { onOrganization } from "../api/access.ts";
import { PAGE_QUERY, readInterval, readLimit, TIME_QUERY } from "../api/lists.ts";
import { type ApiRoutes, listReply } from "../api/route.ts";
import { AUDIT_DAYS, insertAudit } from "../store/audit.ts";
import type { AuditEntry } from "../records/audit.ts";
import { AUDIT_EVENTS, sentenceOf } from "./events.ts";
import { AUDIT_TYPES, auditFile, auditJson } from "./export.ts";
import { exportEntry } from "./exported.ts";
import type { AuditFilter } from "./filter.ts";
import { upToDate } from "./load.ts";
import { allAudit, listAudit } from "./queries.ts";

const FILTER_QUERY = {
  event: z.array(z.string()).describe("Names such as project.edit, or groups such as project."),
  actor: z.string().optional().describe("Email, or name of a token"),
  target: z.string().optional().describe("Part of a name, or an id"),
  project: z.string().optional().describe("Id"),
  ...TIME_QUERY,
};

const EntryJson = z.object({
  id: z.string(),
  actor: z.object({
    id: z.string().optional(),
    name: z.string(),
    email: z.string().optional(),
  }).describe("Who did it"),
  event: z.string(),
  ipAddress: z.string().nullable().describe("Where the request came from"),
  userAgent: z.string().nullable().describe("Browser or program that asked"),
  requestId: z.string().nullable().describe("As in the log of the instance"),
  note: z.string().describe("What happened, as a sentence"),
  targetObject: z.string().nullable().describe("Id of what it was done to"),
  targetUser: z.object({ id: z.string(), name: z.string() }).nullable().describe(
    "The account, where it was done to one",
  ),
  data: z.looseObject({}).describe(
    "Kind and name of the target, and changed fields with before and after",
  ),
  dateCreated: z.iso.datetime(),
}).meta({ title: "Audit entry" });

interface FilterInput {
  readonly event: string[];
  readonly actor?: string | undefined;
  readonly target?: string | undefined;
  readonly project?: string | undefined;
}

/** `/organizations/{organization}/audit-logs` and its file. */
export const auditRoutes: ApiRoutes = {
  "/organizations/:organization/audit-logs": {
    GET: onOrganization("audit:read", {
      summary: "The audit log, newest entries first",
      query: z.object({ ...FILTER_QUERY, ...PAGE_QUERY }),
      answer: z.object({
        rows: z.array(EntryJson).describe("The entries"),
        options: z.array(z.string()).describe("Names of all events"),
      }),
    }, async (ctx, { organization }, { query }) => {
      const { services } = ctx.state;
      await upToDate(services);
      const filter = readFilter(organization.id, query, ctx.url.searchParams);
      const limit = readLimit(query.per_page ?? null);
      const page = await listAudit(services.sql, filter, query.cursor ?? null, limit);
      const { headers } = listReply(ctx, [], page);
      const rows = page.rows.map(entryJson);
      return Response.json({ rows, options: Object.keys(AUDIT_EVENTS) }, { headers });
    }),
  },
  "/organizations/:organization/audit-logs/export": {
    GET: onOrganization("audit:read", {
      summary: "All entries that match, as JSON lines; an entry itself",
      query: z.object(FILTER_QUERY),
      file: AUDIT_TYPES.jsonl,
    }, async (ctx, { organization }, { query }) => {
      const { services } = ctx.state;
      await upToDate(services);
      const filter = readFilter(organization.id, query, ctx.url.searchParams);
      await insertAudit(services.sql, exportEntry(organization.id, "jsonl"));
      const file = auditFile(allAudit(services.sql, filter), "jsonl");
      return new Response(file, { headers: { "content-type": AUDIT_TYPES.jsonl } });
    }),
  },
};

function readFilter(
  organizationId: string,
  { event, actor = "", target = "", project = "" }: FilterInput,
  search: URLSearchParams,
): AuditFilter {
  const { start, end } = readInterval(search, AUDIT_DAYS);
  const projectId = /^\d{1,15}$/.test(project) ? project : "";
  return {
    organizationId,
    events: event.filter((name) => name !== ""),
    actor: actor.trim(),
    target: target.trim(),
    projectId,
    start,
    end,
  };
}

function entryJson(entry: AuditEntry): z.input<typeof EntryJson> {
  const { by, target, event } = entry;
  const { changes } = auditJson(entry);
  const isPerson = by.kind === "user" || by.kind === "token";
  return {
    id: entry.id,
    actor: {
      name: by.label,
      ...(by.id === null ? {} : { id: by.id }),
      ...(isPerson ? { email: by.label } : {}),
    },
    event,
    ipAddress: by.address,
    userAgent: by.userAgent,
    requestId: by.requestId,
    note: sentenceOf(event, target.label),
    targetObject: target.id === "" ? null : target.id,
    targetUser: target.kind === "user" ? { id: target.id, name: target.label } : null,
    data: {
      targetKind: target.kind,
      targetLabel: target.label,
      projectId: entry.projectId,
      changes,
    },
    dateCreated: entry.at.toISOString(),
  };
}
