import { asObject } from "@/lib/ui/json.ts";
import { TrackerFailure } from "../ask.ts";
import {
  addressField,
  hasSecret,
  hostOf,
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
  type RemoteIssue,
  type TrackerKind,
  type TrackerSettings,
} from "../tracker.ts";

const FIELDS = "fields=idReadable,summary,resolved";

export const youtrack: TrackerKind = {
  label: "YouTrack",
  summary: "Issues of a project on YouTrack, in the cloud or your own.",
  fields: [
    addressField({
      help: "Where your YouTrack is found, with /youtrack at its end if it has that.",
      placeholder: "https://acme.youtrack.cloud",
    }),
    textField(
      {
        name: "project",
        label: "Project",
        help: "Its short name, as in OPS-7.",
        placeholder: "OPS",
      },
      /^[\w-]{1,50}$/,
      "Enter the short name of the project, as OPS.",
    ),
    textField(
      {
        name: "closing",
        label: "Command that closes an issue",
        help: "As it is typed into YouTrack.",
        placeholder: "State Fixed",
        initial: "State Fixed",
      },
      /\S/,
      "Enter a command, as State Fixed.",
    ),
  ],
  placeOf: ({ url = "", project = "" }) => `${project} on ${hostOf(url)}`,
  formUrl: ({ url, project = "" }, { title, body }) =>
    filledUrl(`${url}/newIssue`, [
      ["project", project],
      ["summary", title],
      ["description", body],
    ]),
  refOf: ({ url = "", project = "" }, text) => {
    const named = pathBelow(url, text)?.replace(/^issue\//, "") ?? text;
    const [, key, number] = /^([\w-]+)-(\d{1,12})(?:\/.*)?$/.exec(named) ?? [];
    return key?.toLowerCase() === project.toLowerCase() ? `${project}-${number}` : null;
  },
  keyOf: (_settings, ref) => ref,
  urlOf: ({ url }, ref) => `${url}/issue/${ref}`,
  api: {
    authorization: (_settings, token) => ({ authorization: `Bearer ${token}` }),
    tokenHelp:
      "Profile → Account security → New token, with the scope YouTrack. Without one, filled forms and links work all the same.",
    takes: { labels: false, assignee: false },
    async test(ask, settings) {
      const project = await ask({ method: "GET", url: projectUrl(settings) });
      return `The token sees ${needed(textAt(project, "name"), "the name of the project")}.`;
    },
    async create(ask, settings, { title, body }) {
      const project = await ask({ method: "GET", url: projectUrl(settings) });
      const id = needed(textAt(project, "id"), "the id of the project");
      const made = await ask({
        method: "POST",
        url: `${settings.url}/api/issues?${FIELDS}`,
        body: { project: { id }, summary: title, description: body },
      });
      return issueOf(made);
    },
    read: async (ask, settings, ref) =>
      issueOf(await ask({ method: "GET", url: `${settings.url}/api/issues/${ref}?${FIELDS}` })),
    async close(ask, settings, ref) {
      await ask({
        method: "POST",
        url: `${settings.url}/api/commands`,
        body: { query: settings.closing, issues: [{ idReadable: ref }] },
      });
      const { state } = issueOf(
        await ask({ method: "GET", url: `${settings.url}/api/issues/${ref}?${FIELDS}` }),
      );
      if (state === "closed") return;
      const words = `The command "${settings.closing}" was taken, and ${ref} is still open.`;
      throw new TrackerFailure(words, 200, false);
    },
  },
  hook: {
    help:
      "Add a workflow rule that posts to the address when an issue is resolved or opened again; docs/trackers.md has it.",
    isSigned: (request, secret) => hasSecret(request, "x-watchpost-token", secret),
    deliveriesOf: ({ headers }) => namedDelivery(headers, "x-watchpost-delivery"),
    hear,
  },
};

function projectUrl({ url, project = "" }: TrackerSettings): string {
  return `${url}/api/admin/projects/${encodeURIComponent(project)}?fields=id,name,shortName`;
}

function issueOf(issue: unknown): RemoteIssue {
  const resolved = asObject(issue)?.resolved;
  return {
    ref: needed(textAt(issue, "idReadable"), "the id of the issue"),
    title: titleOf(textAt(issue, "summary")),
    state: resolved === undefined ? "unknown" : resolved === null ? "open" : "closed",
  };
}

/** As our workflow rule writes it: `{issue, title, state, at}`. */
function hear({ project = "" }: TrackerSettings, _headers: Headers, body: unknown): Heard {
  const ref = textAt(body, "issue");
  const state = textAt(body, "state");
  if (!ref.toLowerCase().startsWith(`${project.toLowerCase()}-`)) return null;
  if (state !== "open" && state !== "closed") return null;
  const at = timeOf(textAt(body, "at"));
  return { kind: "issue", ref, state, title: titleOf(textAt(body, "title")), at };
}
