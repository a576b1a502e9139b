import { asObject, asObjects } from "@/lib/ui/json.ts";
import { TrackerFailure } from "../ask.ts";
import {
  addressField,
  hasHmac,
  hasSecret,
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
  type TrackerKind,
  type TrackerSettings,
} from "../tracker.ts";
import { message, t } from "@/lib/core/language/translate.ts";

const api = ({ url = "" }: TrackerSettings) => `${url}/rest/api/2`;

export const jira: TrackerKind = {
  label: message("Jira"),
  summary: message("Issues of a project on Jira Cloud, Server or Data Center."),
  fields: [
    addressField({
      help: message("Where your Jira is found."),
      placeholder: "https://acme.atlassian.net",
    }),
    textField(
      {
        name: "project",
        label: message("Project key"),
        help: message("As in OPS-7."),
        placeholder: "OPS",
      },
      /^[A-Z][A-Z0-9_]{1,49}$/i,
      message("Enter the key of the project: letters and digits, as OPS."),
    ),
    textField(
      {
        name: "issueType",
        label: message("Issue type"),
        help: message("What is made from here, by its name in the project."),
        placeholder: "Bug",
        initial: "Bug",
      },
      /\S/,
      message("Enter the name of an issue type, as Bug."),
    ),
    textField(
      {
        name: "user",
        label: message("Email of the token's owner"),
        help: message(
          "Jira Cloud wants it beside the token. Empty for Jira Server and Data Center.",
        ),
        placeholder: "ann@example.com",
        isOptional: true,
      },
      /^[^\s:]+@[^\s:]+$/,
      message("Enter an email address."),
    ),
    textField(
      {
        name: "numbers",
        label: message("Numbers of the project and the issue type"),
        help: message("For filled forms only. A test of the connection tells them."),
        placeholder: "10000/10004",
        isOptional: true,
      },
      /^\d{1,12}\/\d{1,12}$/,
      message("Enter both numbers with a slash between, as 10000/10004."),
    ),
    LABELS_FIELD,
  ],
  placeOf: ({ url = "", project = "" }) => t("{project} on {host}", { project, host: hostOf(url) }),
  formUrl({ url, numbers = "" }, { title, body }) {
    const [pid, issuetype] = numbers.split("/");
    if (!pid || !issuetype) return null;
    return filledUrl(`${url}/secure/CreateIssueDetails!init.jspa`, [
      ["pid", pid],
      ["issuetype", issuetype],
      ["summary", oneLine(title)],
      ["description", body],
    ]);
  },
  refOf: ({ url = "", project = "" }, text) => {
    const named = pathBelow(url, text)?.replace(/^browse\//, "") ?? text;
    const [, key, number] = /^([A-Z][A-Z0-9_]*)-(\d{1,12})\/?$/i.exec(named) ?? [];
    return key?.toUpperCase() === project.toUpperCase() ? `${key.toUpperCase()}-${number}` : null;
  },
  keyOf: (_settings, ref) => ref,
  urlOf: ({ url }, ref) => `${url}/browse/${ref}`,
  api: {
    authorization: ({ user = "" }, token) => ({
      authorization: user === "" ? `Bearer ${token}` : `Basic ${basic(`${user}:${token}`)}`,
    }),
    tokenHelp: message(
      "Jira Cloud: an API token of your Atlassian account. Server and Data Center: a personal access token. Without one, links work all the same.",
    ),
    takes: { labels: true, assignee: false },
    async test(ask, settings) {
      const project = await ask({
        method: "GET",
        url: `${api(settings)}/project/${settings.project}`,
      });
      const name = needed(textAt(project, "name"), message("the name of the project"));
      const types = asObjects(asObject(project)?.issueTypes);
      const wanted = (settings.issueType ?? "").toLowerCase();
      const type = types.find((one) => textAt(one, "name").toLowerCase() === wanted);
      if (type === undefined) {
        const names = types.map((one) => textAt(one, "name")).join(", ");
        const words = t("{name} has no issue type {issueType}. It has: {names}.", {
          name,
          issueType: settings.issueType ?? "",
          names,
        });
        throw new TrackerFailure(words, 200, false);
      }
      const numbers = `${textAt(project, "id")}/${textAt(type, "id")}`;
      return t("The token sees {name}. Its numbers for filled forms are {numbers}.", {
        name,
        numbers,
      });
    },
    async create(ask, settings, { title, body, labels }) {
      const { project, issueType } = settings;
      const made = await ask({
        method: "POST",
        url: `${api(settings)}/issue`,
        body: {
          fields: {
            project: { key: project?.toUpperCase() },
            summary: oneLine(title),
            description: body,
            issuetype: { name: issueType },
            // Labels of Jira have no blanks.
            ...labels.length > 0
              ? { labels: labels.map((one) => one.replaceAll(/\s+/g, "-")) }
              : {},
          },
        },
      });
      // The answer has nothing but the key.
      return {
        ref: needed(textAt(made, "key"), message("the key of the issue")),
        title,
        state: "open",
      };
    },
    read: async (ask, settings, ref) =>
      issueOf(
        await ask({
          method: "GET",
          url: `${api(settings)}/issue/${ref}?fields=summary,status`,
        }),
      ),
    async close(ask, settings, ref) {
      const url = `${api(settings)}/issue/${ref}/transitions`;
      const found = asObjects(asObject(await ask({ method: "GET", url }))?.transitions)
        .find((one) => textAt(one, "to", "statusCategory", "key") === DONE);
      if (found === undefined) {
        const words = t("{ref} has no transition that ends it which the token may take.", { ref });
        throw new TrackerFailure(words, 200, false);
      }
      await ask({ method: "POST", url, body: { transition: { id: textAt(found, "id") } } });
    },
  },
  hook: {
    help: message(
      "Settings → System → Webhooks → Create. Paste the address with its secret, and choose Issue: updated. Jira Cloud can take the secret by itself and sign.",
    ),
    isSecretInAddress: true,
    isSigned: (request, secret) =>
      request.headers.has("x-hub-signature")
        ? hasHmac(request, "x-hub-signature", secret, "sha256=")
        : hasSecret(request, "x-watchpost-token", secret),
    deliveriesOf: (request) => signedDelivery(request, "x-atlassian-webhook-identifier"),
    hear,
  },
};

/** The category of all statuses that end an issue, whatever they are called. */
const DONE = "done";

function issueOf(issue: unknown): RemoteIssue {
  return {
    ref: needed(textAt(issue, "key"), message("the key of the issue")),
    title: titleOf(textAt(issue, "fields", "summary")),
    state: stateOf(issue),
  };
}

function stateOf(issue: unknown): LinkState {
  const category = textAt(issue, "fields", "status", "statusCategory", "key");
  if (category === "") return "unknown";
  return category === DONE ? "closed" : "open";
}

function hear({ project = "" }: TrackerSettings, _headers: Headers, body: unknown): Heard {
  const issue = asObject(body)?.issue;
  const ref = textAt(issue, "key").toUpperCase();
  const isTold = /^jira:issue_(?:created|updated)$/.test(textAt(body, "webhookEvent"));
  if (!isTold || !ref.startsWith(`${project.toUpperCase()}-`)) return null;
  return {
    kind: "issue",
    ref,
    title: titleOf(textAt(issue, "fields", "summary")),
    state: stateOf(issue),
    at: timeOf(textAt(body, "timestamp")),
  };
}

/** A summary is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 255).toWellFormed();
}

function basic(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
