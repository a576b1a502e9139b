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
import { message, t } from "@/lib/core/language/translate.ts";

const FIELDS = "fields=idReadable,summary,resolved";

export const youtrack: TrackerKind = {
  label: message("YouTrack"),
  summary: message("Issues of a project on YouTrack, in the cloud or your own."),
  fields: [
    addressField({
      help: message("Where your YouTrack is found, with /youtrack at its end if it has that."),
      placeholder: "https://acme.youtrack.cloud",
    }),
    textField(
      {
        name: "project",
        label: message("Project"),
        help: message("Its short name, as in OPS-7."),
        placeholder: "OPS",
      },
      /^[\w-]{1,50}$/,
      message("Enter the short name of the project, as OPS."),
    ),
    textField(
      {
        name: "closing",
        label: message("Command that closes an issue"),
        help: message("As it is typed into YouTrack."),
        placeholder: "State Fixed",
        initial: "State Fixed",
      },
      /\S/,
      message("Enter a command, as State Fixed."),
    ),
  ],
  placeOf: ({ url = "", project = "" }) => t("{project} on {host}", { project, host: hostOf(url) }),
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
    tokenHelp: message(
      "Profile → Account security → New token, with the scope YouTrack. Without one, filled forms and links work all the same.",
    ),
    takes: { labels: false, assignee: false },
    async test(ask, settings) {
      const project = await ask({ method: "GET", url: projectUrl(settings) });
      return t("The token sees {name}.", {
        name: needed(textAt(project, "name"), message("the name of the project")),
      });
    },
    async create(ask, settings, { title, body }) {
      const project = await ask({ method: "GET", url: projectUrl(settings) });
      const id = needed(textAt(project, "id"), message("the id of the project"));
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
      const words = t('The command "{closing}" was taken, and {ref} is still open.', {
        closing: settings.closing ?? "",
        ref,
      });
      throw new TrackerFailure(words, 200, false);
    },
  },
  hook: {
    help: message(
      "Add a workflow rule that posts to the address when an issue is resolved or opened again; docs/trackers.md has it.",
    ),
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
    ref: needed(textAt(issue, "idReadable"), message("the id of the issue")),
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
