/** The addresses below `/api/0` about links to trackers. */
import { z } from "zod";
import { emailOf } from "../../accounts/authorize.ts";
import { onOrganization } from "../../api/access.ts";
import { type ApiContext, type ApiMethods, type ApiRoutes, notFound } from "../../api/route.ts";
import { InvalidInput } from "../../core/errors.ts";
import { type IssueAccess, onIssue } from "../api/issue_access.ts";
import { type IssueLink, linksOfIssue } from "./issue_links.ts";
import { attachRemote, createRemote, type Linking, unlink } from "./link_actions.ts";

/** As Sentry has links that apps made; what follows the first five is ours. */
const LinkJson = z.object({
  id: z.string(),
  issueId: z.string(),
  serviceType: z.string(),
  displayName: z.string(),
  webUrl: z.string(),
  title: z.string(),
  state: z.enum(["open", "closed", "unknown"]),
  connectionId: z.string().nullable(),
  createdBy: z.string(),
  dateCreated: z.iso.datetime(),
}).meta({ title: "Issue link" });

const NewLinkBody = z.object({
  webUrl: z.string().describe("Of an issue that is there already: its address or key").optional(),
  connectionId: z.string().describe("The tracker in which a new one is made").optional(),
  title: z.string().default(""),
  body: z.string().default(""),
  labels: z.array(z.string()).default([]),
  assignee: z.string().default(""),
});

const LINKS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "The issues of trackers that an issue is linked to",
    answer: z.array(LinkJson),
  }, async (ctx, { issue, access }) => {
    const links = await linksOfIssue(ctx.state.services.sql, access.project.id, issue.id);
    return links.map((link) => linkJson(link, issue.id));
  }),
  POST: onIssue("issue:write", {
    summary: "Links an issue of a tracker, or makes a new one there",
    body: NewLinkBody,
    answer: LinkJson,
    status: 201,
  }, addLink),
};

const ONE_LINK: ApiMethods = {
  DELETE: onIssue("issue:write", {
    summary: "Removes a link; the issue in the tracker stays",
  }, async (ctx, found) => {
    const isGone = await unlink(
      ctx.state.services.sql,
      linkingOf(ctx, found),
      ctx.params.link ?? "",
    );
    if (!isGone) throw notFound();
  }),
};

const INTEGRATIONS: ApiMethods = {
  GET: onIssue("project:read", {
    summary: "Always empty: links need no integration",
    answer: z.array(z.never()),
  }, () => []),
};

async function addLink(
  ctx: ApiContext,
  found: IssueAccess,
  { body }: { readonly body: z.output<typeof NewLinkBody> },
) {
  const { services } = ctx.state;
  const linking = linkingOf(ctx, found);
  const { webUrl, connectionId, ...draft } = body;
  if ((webUrl === undefined) === (connectionId === undefined)) {
    throw new InvalidInput("webUrl", "Give either webUrl or connectionId.");
  }
  const made = connectionId === undefined
    ? await attachRemote(services, linking, webUrl ?? "")
    : await createRemote(services, linking, connectionId, draft, crypto.randomUUID());
  const links = await linksOfIssue(services.sql, linking.projectId, linking.issueId);
  const link = links.find(({ id }) => id === made.id);
  if (link === undefined) throw notFound();
  return linkJson(link, linking.issueId);
}

function linkingOf({ state }: ApiContext, { access, issue }: IssueAccess): Linking {
  return {
    projectId: access.project.id,
    issueId: issue.id,
    by: emailOf(state.actor),
    userId: access.userId,
  };
}

function linkJson(link: IssueLink, issueId: string): z.input<typeof LinkJson> {
  return {
    id: link.id,
    issueId,
    serviceType: link.type ?? "link",
    displayName: link.key,
    webUrl: link.url,
    title: link.title,
    state: link.state,
    connectionId: link.connectionId,
    createdBy: link.createdBy,
    dateCreated: link.createdAt.toISOString(),
  };
}

export const linkRoutes: ApiRoutes = {
  "/issues/:issue/external-issues": LINKS,
  "/issues/:issue/external-issues/:link": ONE_LINK,
  "/issues/:issue/integrations": INTEGRATIONS,
  "/organizations/:organization/issues/:issue/external-issues": LINKS,
  "/organizations/:organization/issues/:issue/external-issues/:link": ONE_LINK,
  "/organizations/:organization/issues/:issue/integrations": INTEGRATIONS,
  "/organizations/:organization/integrations": {
    GET: onOrganization("project:read", {
      summary: "Always empty: trackers belong to projects",
      answer: z.array(z.never()),
    }, () => []),
  },
  "/organizations/:organization/config/integrations": {
    GET: onOrganization("project:read", {
      summary: "Kinds of integrations: none",
      answer: z.object({ providers: z.array(z.never()) }),
    }, () => ({ providers: [] })),
  },
};
