/** GitHub, Gitea and Forgejo: the same addresses, almost the same API, and webhooks that are signed alike. */
import { asObject } from "@/lib/ui/json.ts";
import type { Ask } from "../ask.ts";
import {
  addressField,
  commitsOf,
  hasHmac,
  hostOf,
  LABELS_FIELD,
  needed,
  pathBelow,
  signedDelivery,
  textAt,
  textField,
  timeOf,
  titleOf,
} from "../reading.ts";
import {
  filledUrl,
  type Heard,
  type LinkState,
  type RemoteIssue,
  type TrackerField,
  type TrackerKind,
  type TrackerSettings,
} from "../tracker.ts";
import { type Message, message, t } from "@/lib/core/language/translate.ts";

interface Forge extends Pick<TrackerKind, "label" | "summary"> {
  readonly address: {
    readonly help: Message;
    readonly placeholder: string;
    readonly initial?: string;
  };
  /** Where its API is, without a slash at its end. */
  apiOf(url: string): string;
  authorization(token: string): Readonly<Record<string, string>>;
  /** Labels are named by their names. */
  readonly takesLabels: boolean;
  readonly tokenHelp: Message;
  readonly signature: { readonly header: string; readonly prefix: string };
  readonly eventHeader: string;
  readonly deliveryHeader: string;
  readonly hookHelp: Message;
}

const PROJECT_FIELD: TrackerField = textField(
  {
    name: "project",
    label: message("Repository"),
    help: message("Owner and name, as in its address."),
    placeholder: "acme/shop",
  },
  /^[\w.-]+\/[\w.-]+$/,
  message("Enter the repository as owner/name."),
);

function forge(kind: Forge): TrackerKind {
  const api = ({ url = "", project = "" }: TrackerSettings) =>
    `${kind.apiOf(url)}/repos/${project}`;
  return {
    label: kind.label,
    summary: kind.summary,
    fields: [
      addressField(kind.address),
      PROJECT_FIELD,
      ...kind.takesLabels ? [LABELS_FIELD] : [],
    ],
    placeOf: ({ url = "", project = "" }) =>
      t("{project} on {host}", { project, host: hostOf(url) }),
    formUrl: ({ url, project }, { title, body, labels, assignee }) =>
      filledUrl(`${url}/${project}/issues/new`, [
        ["title", title],
        ...kind.takesLabels ? [["labels", labels.join(",")] as const] : [],
        ...kind.takesLabels ? [["assignee", assignee] as const] : [],
        ["body", body],
      ]),
    refOf: ({ url = "", project = "" }, text) => {
      const named = pathBelow(url, text) ?? text;
      const pattern = /^(?:([\w.-]+\/[\w.-]+)(?:\/issues\/|#)|#)?(\d{1,12})\/?$/;
      const [, repository, number] = pattern.exec(named) ?? [];
      const isHere = repository === undefined || repository.toLowerCase() === project.toLowerCase();
      return number !== undefined && isHere ? number : null;
    },
    keyOf: ({ project }, ref) => `${project}#${ref}`,
    urlOf: ({ url, project }, ref) => `${url}/${project}/issues/${ref}`,
    api: {
      authorization: (_settings, token) => kind.authorization(token),
      tokenHelp: kind.tokenHelp,
      takes: { labels: kind.takesLabels, assignee: true },
      async test(ask, settings) {
        const repository = await ask({ method: "GET", url: api(settings) });
        const name = needed(textAt(repository, "full_name"), message("the name of the repository"));
        const hasIssues = asObject(repository)?.has_issues !== false;
        return hasIssues
          ? t("The token sees {name}.", { name })
          : t("The token sees {name}, where issues are switched off.", { name });
      },
      async create(ask, settings, { title, body, labels, assignee }) {
        const made = await ask({
          method: "POST",
          url: `${api(settings)}/issues`,
          body: {
            title,
            body,
            ...kind.takesLabels && labels.length > 0 ? { labels } : {},
            ...assignee === "" ? {} : { assignees: [assignee] },
          },
        });
        return issueOf(made);
      },
      read: async (ask, settings, ref) =>
        issueOf(await ask({ method: "GET", url: `${api(settings)}/issues/${ref}` })),
      close: (ask, settings, ref) => close(ask, `${api(settings)}/issues/${ref}`),
    },
    hook: {
      help: kind.hookHelp,
      isSigned: (request, secret) =>
        hasHmac(request, kind.signature.header, secret, kind.signature.prefix),
      deliveriesOf: (request) => signedDelivery(request, kind.deliveryHeader),
      hear: (settings, headers, body) => hear(kind, settings, headers, body),
    },
  };
}

async function close(ask: Ask, url: string): Promise<void> {
  await ask({ method: "PATCH", url, body: { state: "closed" } });
}

function issueOf(issue: unknown): RemoteIssue {
  return {
    ref: needed(textAt(issue, "number"), message("the number of the issue")),
    title: titleOf(textAt(issue, "title")),
    state: stateOf(textAt(issue, "state")),
  };
}

function stateOf(text: string): LinkState {
  return text === "open" || text === "closed" ? text : "unknown";
}

function hear(
  { eventHeader }: Forge,
  { project = "" }: TrackerSettings,
  headers: Headers,
  body: unknown,
): Heard {
  const repository = textAt(body, "repository", "full_name");
  if (repository.toLowerCase() !== project.toLowerCase()) return null;
  switch (headers.get(eventHeader)) {
    case "issues": {
      const issue = asObject(body)?.issue;
      const [ref, state] = [textAt(issue, "number"), stateOf(textAt(issue, "state"))];
      // It is gone with all that was said, which does not mean that the error is.
      const isGone = ["deleted", "transferred"].includes(textAt(body, "action"));
      if (ref === "" || isGone) return null;
      const at = timeOf(textAt(issue, "updated_at"));
      return { kind: "issue", ref, state, title: titleOf(textAt(issue, "title")), at };
    }
    case "push":
      return isDefaultBranch(body) ? { kind: "push", commits: commitsOf(body, repository) } : null;
    default:
      return null;
  }
}

/** What was pushed elsewhere may never be part of a release. */
function isDefaultBranch(body: unknown): boolean {
  const branch = textAt(body, "repository", "default_branch");
  return branch === "" || textAt(body, "ref") === `refs/heads/${branch}`;
}

export const github = forge({
  label: message("GitHub"),
  summary: message("Issues of a repository on github.com or GitHub Enterprise."),
  address: {
    help: message("https://github.com, or your GitHub Enterprise."),
    placeholder: "https://github.com",
    initial: "https://github.com",
  },
  apiOf(url) {
    const { protocol, host } = new URL(url);
    if (host === "github.com") return "https://api.github.com";
    // Enterprise Cloud with data residency has its API beside it.
    return host.endsWith(".ghe.com") ? `${protocol}//api.${host}` : `${url}/api/v3`;
  },
  authorization: (token) => ({
    authorization: `Bearer ${token}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  }),
  takesLabels: true,
  tokenHelp: message(
    "A fine-grained personal access token of the repository with Issues: read and write. Without one, filled forms and links work all the same.",
  ),
  signature: { header: "x-hub-signature-256", prefix: "sha256=" },
  eventHeader: "x-github-event",
  deliveryHeader: "x-github-delivery",
  hookHelp: message(
    "In the repository: Settings → Webhooks → Add webhook. Content type application/json, the secret, and the events Issues and Pushes.",
  ),
});

export const gitea = forge({
  label: message("Gitea or Forgejo"),
  summary: message("Issues of a repository on your Gitea, Forgejo or Codeberg."),
  address: { help: message("Where it is found."), placeholder: "https://codeberg.org" },
  apiOf: (url) => `${url}/api/v1`,
  authorization: (token) => ({ authorization: `token ${token}` }),
  // Its API wants the numbers of labels.
  takesLabels: false,
  tokenHelp: message(
    "Settings → Applications → Generate token, with issue: read and write and repository: read. Without one, filled forms and links work all the same.",
  ),
  signature: { header: "x-gitea-signature", prefix: "" },
  eventHeader: "x-gitea-event",
  deliveryHeader: "x-gitea-delivery",
  hookHelp: message(
    "In the repository: Settings → Webhooks → Add webhook → Gitea (Forgejo). POST, application/json, the secret, and the events Issues and Push.",
  ),
});
