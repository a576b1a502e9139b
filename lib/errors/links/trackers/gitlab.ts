import { asObject } from "@/lib/ui/json.ts";
import {
  addressField,
  commitsOf,
  hasSecret,
  hostOf,
  LABELS_FIELD,
  namedDelivery,
  needed,
  pathBelow,
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
  type TrackerKind,
  type TrackerSettings,
} from "../tracker.ts";
import { message, t } from "@/lib/core/language/translate.ts";

const api = ({ url = "", project = "" }: TrackerSettings) =>
  `${url}/api/v4/projects/${encodeURIComponent(project)}`;

export const gitlab: TrackerKind = {
  label: message("GitLab"),
  summary: message("Issues of a project on gitlab.com or your GitLab."),
  fields: [
    addressField({
      help: message("https://gitlab.com, or your GitLab."),
      placeholder: "https://gitlab.com",
      initial: "https://gitlab.com",
    }),
    textField(
      {
        name: "project",
        label: message("Project"),
        help: message("Its path with all groups, as in its address."),
        placeholder: "acme/web/shop",
      },
      /^[\w.-]+(?:\/[\w.-]+)+$/,
      message("Enter the project as group/name."),
    ),
    LABELS_FIELD,
  ],
  placeOf: ({ url = "", project = "" }) => t("{project} on {host}", { project, host: hostOf(url) }),
  formUrl: ({ url, project }, { title, body }) =>
    filledUrl(`${url}/${project}/-/issues/new`, [
      ["issue[title]", title],
      ["issue[description]", body],
    ]),
  refOf: ({ url = "", project = "" }, text) => {
    const named = pathBelow(url, text) ?? text;
    const pattern = /^(?:([\w./-]+?)(?:\/(?:-\/)?(?:issues|work_items)\/|#)|#)?(\d{1,12})\/?$/;
    const [, path, number] = pattern.exec(named) ?? [];
    const isHere = path === undefined || path.toLowerCase() === project.toLowerCase();
    return number !== undefined && isHere ? number : null;
  },
  keyOf: ({ project }, ref) => `${project}#${ref}`,
  urlOf: ({ url, project }, ref) => `${url}/${project}/-/issues/${ref}`,
  api: {
    authorization: (_settings, token) => ({ "private-token": token }),
    tokenHelp: message(
      "A project access token with the role Reporter or above and the scope api. Without one, filled forms and links work all the same.",
    ),
    takes: { labels: true, assignee: false },
    async test(ask, settings) {
      const project = await ask({ method: "GET", url: api(settings) });
      const name = needed(
        textAt(project, "path_with_namespace"),
        message("the path of the project"),
      );
      return t("The token sees {name}.", { name });
    },
    create: async (ask, settings, { title, body, labels }) =>
      issueOf(
        await ask({
          method: "POST",
          url: `${api(settings)}/issues`,
          body: {
            title,
            description: body,
            ...labels.length > 0 ? { labels: labels.join(",") } : {},
          },
        }),
      ),
    read: async (ask, settings, ref) =>
      issueOf(await ask({ method: "GET", url: `${api(settings)}/issues/${ref}` })),
    async close(ask, settings, ref) {
      await ask({
        method: "PUT",
        url: `${api(settings)}/issues/${ref}`,
        body: { state_event: "close" },
      });
    },
  },
  hook: {
    help: message(
      "In the project: Settings → Webhooks → Add new webhook, with the secret token, and the triggers Issues events and Push events.",
    ),
    // GitLab signs nothing: it sends the secret itself.
    isSigned: (request, secret) => hasSecret(request, "x-gitlab-token", secret),
    deliveriesOf: ({ headers }) => namedDelivery(headers, "idempotency-key"),
    hear,
  },
};

function issueOf(issue: unknown): RemoteIssue {
  return {
    ref: needed(textAt(issue, "iid"), message("the number of the issue")),
    title: titleOf(textAt(issue, "title")),
    state: stateOf(textAt(issue, "state")),
  };
}

function stateOf(text: string): LinkState {
  if (text === "closed") return "closed";
  return text === "opened" || text === "reopened" ? "open" : "unknown";
}

/** What "Test" sends has no action, and closing may be told twice: only the state counts. */
function hear({ project = "" }: TrackerSettings, headers: Headers, body: unknown): Heard {
  const path = textAt(body, "project", "path_with_namespace");
  if (path.toLowerCase() !== project.toLowerCase()) return null;
  switch (headers.get("x-gitlab-event")) {
    case "Issue Hook":
    case "Confidential Issue Hook": {
      const issue = asObject(body)?.object_attributes;
      const ref = textAt(issue, "iid");
      if (ref === "") return null;
      return {
        kind: "issue",
        ref,
        title: titleOf(textAt(issue, "title")),
        state: stateOf(textAt(issue, "state")),
        at: timeOf(textAt(issue, "updated_at")),
      };
    }
    case "Push Hook": {
      const branch = textAt(body, "project", "default_branch");
      if (branch !== "" && textAt(body, "ref") !== `refs/heads/${branch}`) return null;
      return { kind: "push", commits: commitsOf(body, path) };
    }
    default:
      return null;
  }
}
