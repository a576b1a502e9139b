/** What the Instance page shows of requests that cannot be stored, and what can be done about them. */
import { addAudit } from "../accounts/audit.ts";
import { findDeletedProject } from "../accounts/deleted_projects.ts";
import { findProject } from "../accounts/projects.ts";
import { type Message, message, t } from "../core/language/translate.ts";
import { withTimeLimit } from "../core/waiting.ts";
import { countLost } from "../ingest/lost_requests.ts";
import {
  type AsideChoice,
  type AsideGroup,
  type AsideObject,
  type AsideState,
  UNREADABLE,
} from "../ingest/set_aside.ts";
import { Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import { HiddenFields } from "../ui/components/fields.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { redirectWithFlash } from "../ui/cookies.ts";
import { fieldOf, unknownForm } from "../ui/form.ts";
import { formatBytes, formatExact } from "../ui/format.ts";
import type { Services } from "./services.ts";

const LIMIT_MS = 5_000;
/** Of projects and reasons, the largest. */
const MAX_GROUPS = 50;
/** Of one of these, the oldest. */
const MAX_NAMES = 20;

export interface AsideView extends AsideState {
  /** By id, as far as there are any. */
  readonly projectNames: ReadonlyMap<string, string>;
}

/** What is set aside, or null while the object store does not answer. */
export async function loadAside({ kv, spool }: Services): Promise<AsideView | null> {
  try {
    const state = await withTimeLimit(spool.aside.state(), LIMIT_MS);
    const ids = new Set(state.groups.slice(0, MAX_GROUPS).map(({ projectId }) => projectId));
    const names = await Promise.all(
      [...ids].map(async (id) => [id, await nameOf(kv, id)] as const),
    );
    return { ...state, projectNames: new Map(names) };
  } catch {
    return null;
  }
}

async function nameOf(kv: Deno.Kv, id: string): Promise<string> {
  const project = await findProject(kv, id) ?? (await findDeletedProject(kv, id))?.project;
  return project?.name ?? id;
}

/** Requests that are set aside, by project and reason. */
export function SetAsidePanel({ aside }: { readonly aside: AsideView | null }) {
  const isEmpty = aside === null || aside.requests === 0;
  return (
    <Panel
      title={
        <span class="inline-flex items-center gap-2">
          {t("Set aside")}
          {!isEmpty && <Badge tone="danger" icon="error">{formatExact(aside.requests)}</Badge>}
        </span>
      }
      id="set-aside"
      description={t(
        "Requests that cannot be stored although Postgres is well. They wait until somebody has mended what refuses them and tries again; a new version of Watchpost tries again by itself.",
      )}
      flush={!isEmpty}
    >
      {aside === null
        ? <p class="text-muted">{t("The object store does not respond.")}</p>
        : isEmpty
        ? <p class="text-muted">{t("There are none.")}</p>
        : <Groups {...aside} />}
    </Panel>
  );
}

function Groups({ groups, projectNames, bytes, maxBytes, since }: AsideView) {
  const hidden = groups.length - MAX_GROUPS;
  return (
    <>
      <div class="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-line px-4 py-3">
        <p class="min-w-0 flex-1 basis-56 text-sm tabular-nums">
          {t("{waiting} of {most}", {
            waiting: formatBytes(bytes),
            most: formatBytes(maxBytes),
          })}
          {" · "}
          {t("Oldest")} <RelativeTime date={since} />
          {bytes > maxBytes * NEARLY_FULL && (
            <span class="block text-danger">
              {t("When this is full, such requests are refused with 503.")}
            </span>
          )}
        </p>
        <Actions choice={{}} what={t("all of them")} />
      </div>
      <ul class="divide-y divide-line">
        {groups.slice(0, MAX_GROUPS).map((group) => (
          <Group
            key={`${group.projectId} ${group.code}`}
            {...group}
            name={projectNames.get(group.projectId) ?? group.projectId}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <p class="border-t border-line px-4 py-3 text-sm text-muted">
          {t("and {n} more projects and reasons", { n: formatExact(hidden) })}
        </p>
      )}
    </>
  );
}

/** Of the room. */
const NEARLY_FULL = 0.8;

function Group({ projectId, code, name, requests, bytes, since, objects }: AsideGroup & {
  readonly name: string;
}) {
  const version = objects.at(-1)?.version ?? "";
  return (
    <li class="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-1 basis-56">
        <a class="link font-medium wrap-anywhere" href={`/projects/${projectId}`}>{name}</a>
        <p class="text-sm">
          {t(whyOf(code))} {hasState(code) && <code class="text-meta">{code}</code>}
        </p>
        <p class="text-sm text-muted tabular-nums">
          {t("{n} request|{n} requests", { n: requests })} · {formatBytes(bytes)} ·{" "}
          <RelativeTime date={since} /> · {t("tried last by version {version}", { version })}
        </p>
      </div>
      <Actions choice={{ projectId, code }} what={t("those of {name}", { name })} />
      <Names objects={objects} />
    </li>
  );
}

function Names({ objects }: { readonly objects: readonly AsideObject[] }) {
  if (objects.length < 2) return null;
  return (
    <details class="basis-full text-sm">
      <summary class="link w-fit">{t("One by one")}</summary>
      <ul class="mt-1 space-y-2">
        {objects.slice(0, MAX_NAMES).map(({ name, requests, bytes, since }) => (
          <li key={name} class="flex flex-wrap items-start gap-x-4 gap-y-1">
            <span class="min-w-0 flex-1 basis-56 tabular-nums">
              <RelativeTime date={since} /> · {t("{n} request|{n} requests", { n: requests })} ·
              {" "}
              {formatBytes(bytes)}
              <code class="block text-meta wrap-anywhere text-muted">{name}</code>
            </span>
            <Actions choice={{ name }} what={name} />
          </li>
        ))}
      </ul>
      {objects.length > MAX_NAMES && (
        <p class="mt-1 text-muted">
          {t("These are the {n} oldest ones.", { n: formatExact(MAX_NAMES) })}
        </p>
      )}
    </details>
  );
}

function Actions({ choice: { projectId = "", code = "", name = "" }, what }: {
  readonly choice: AsideChoice;
  /** Which ones, for who does not see where the buttons stand. */
  readonly what: string;
}) {
  const named: [string, string][] = [["project", projectId], ["code", code], ["name", name]];
  const chosen = named.filter(([, value]) => value !== "");
  const fields = chosen.length > 0 ? chosen : [["all", "yes"]] as const;
  return (
    <div class="flex flex-wrap items-start gap-2">
      <form method="post">
        <HiddenFields pairs={[["action", "aside-retry"], ...fields]} />
        <Button size="sm" aria-label={t("Try again: {what}", { what })}>{t("Try again")}</Button>
      </form>
      <details class="open:basis-full">
        <summary
          class="inline-flex h-7 items-center rounded-md border border-line px-2 text-sm font-medium text-muted hover:border-danger hover:bg-danger-soft hover:text-danger"
          aria-label={t("Delete: {what}", { what })}
        >
          {t("Delete")}…
        </summary>
        <form method="post" class="mt-2 max-w-md space-y-2 text-sm">
          <HiddenFields pairs={[["action", "aside-delete"], ...fields]} />
          <p>{t("What was sent and acknowledged is gone for good then.")}</p>
          <Button size="sm" kind="danger">{t("Delete")}</Button>
        </form>
      </details>
    </div>
  );
}

/** Why requests cannot be stored; by SQLSTATE or its class. */
const WHY: readonly (readonly [code: string, why: Message])[] = [
  [UNREADABLE, message("Watchpost cannot read them.")],
  ["error", message("An error of Watchpost: please report it.")],
  ["0A", message("Postgres does not support a statement.")],
  ["42501", message("Watchpost lacks a right in Postgres.")],
  ["42", message("A table, column or function in Postgres is missing or not as it should be.")],
  ["P0", message("A trigger or function in Postgres refuses them.")],
  ["XX", message("Postgres has an internal error.")],
];

function whyOf(code: string): Message {
  const known = WHY.find(([start]) => code.startsWith(start));
  return known?.[1] ?? message("Postgres refuses a statement.");
}

/** Whether a code is Postgres' own. */
function hasState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}

/** What the page's forms of this panel ask for, by their field `action`. */
export const ASIDE_ACTIONS = {
  async "aside-retry"(services: Services, form: URLSearchParams): Promise<Response> {
    const { kv, spool } = services;
    const choice = choiceOf(form);
    await audit(kv, "set-aside.retry", choice, await spool.aside.find(choice));
    const n = await spool.aside.tryAgain(choice);
    spool.lookAgain();
    return redirectWithFlash(
      "/instance#set-aside",
      t("{n} request is tried again.|{n} requests are tried again.", { n }),
    );
  },

  async "aside-delete"(services: Services, form: URLSearchParams): Promise<Response> {
    const { kv, spool, writer } = services;
    const choice = choiceOf(form);
    await audit(kv, "set-aside.remove", choice, await spool.aside.find(choice));
    const lost = await spool.aside.delete(choice);
    countLost(writer, lost);
    return redirectWithFlash(
      "/instance#set-aside",
      t("{n} request is deleted.|{n} requests are deleted.", { n: lost.length }),
    );
  },
} as const;

function choiceOf(form: URLSearchParams): AsideChoice {
  const [projectId, code, name] = ["project", "code", "name"].map((field) => fieldOf(form, field));
  if (name) return { name };
  if (projectId && code) return { projectId, code };
  // A form that has lost its fields must not mean all of them.
  if (fieldOf(form, "all") !== "") return {};
  throw unknownForm();
}

/** Before it is done: nothing of it goes without an entry. */
async function audit(
  kv: Deno.Kv,
  event: string,
  { name = "" }: AsideChoice,
  found: readonly AsideObject[],
): Promise<void> {
  if (found.length === 0) return;
  const projects = new Set(found.map(({ projectId }) => projectId));
  const codes = [...new Set(found.map(({ code }) => code))].toSorted().join(", ");
  const requests = found.reduce((sum, each) => sum + each.requests, 0);
  const [projectId] = projects;
  await addAudit(kv.atomic(), {
    event,
    projectId: projects.size === 1 ? projectId ?? null : null,
    target: {
      kind: "set-aside",
      id: name,
      label: `${requests} × ${codes}`,
    },
    changes: { projects: [[...projects].slice(0, MAX_GROUPS), null] },
  }).commit();
}
