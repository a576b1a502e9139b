/** What the forms of the settings of a status page ask for. */
import { t } from "@/lib/core/language/translate.ts";
import { randomHex } from "@/lib/accounts/secrets.ts";
import { checkName } from "@/lib/accounts/names.ts";
import type { Config } from "@/lib/core/config.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import type { Logger } from "@/lib/core/log.ts";
import { SECOND_MS } from "@/lib/core/time.ts";
import { withTimeLimit } from "@/lib/core/waiting.ts";
import type { Sql } from "@/lib/store/database.ts";
import { CONFIRM_FIELD } from "@/lib/ui/components/fields.tsx";
import { fieldOf } from "@/lib/ui/form.ts";
import { removeLogo } from "../logo.ts";
import { availableMonitors } from "../measured.ts";
import { refreshSnapshot } from "../snapshot.ts";
import {
  changePage,
  checkSettings,
  deletePage,
  entryKey,
  findPage,
  MAX_ENTRIES,
  MAX_GROUP,
  type PageEntry,
  renewToken,
  savePage,
  type StatusPage,
} from "../status_page.ts";

interface Stores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Config;
  readonly log: Logger;
}

/** The longest form: a hundred monitors with names of any script. */
export const MAX_FORM_BYTES = 512 * 1024;

type Done =
  | { readonly kind: "done"; readonly text: string }
  /** The new token, to be shown once. */
  | { readonly kind: "token"; readonly token: string };

/**
 * Does what a form asks for.
 *
 * @param by e-mail address of whoever sent it
 * @throws {InvalidInput}
 */
export async function actOnPage(
  stores: Stores,
  organizationId: string,
  form: URLSearchParams,
  by: string,
): Promise<Done> {
  const { kv, config } = stores;
  const action = form.get("action");
  if (action === "settings") {
    const ownHost = new URL(config.baseUrl).hostname;
    const settings = checkSettings((name) => fieldOf(form, name), ownHost);
    await refreshed(stores, await savePage(kv, organizationId, settings, by));
    return { kind: "done", text: t("Saved.") };
  }
  const page = await findPage(kv, organizationId);
  if (page === null) {
    throw new InvalidInput("", t("There is no status page any more. Make it anew."));
  }
  switch (action) {
    case "add":
      await addEntries(stores, page, form.getAll("monitor"), by);
      return { kind: "done", text: t("Added.") };
    case "entries":
      await changeEntries(stores, page, form, by);
      return { kind: "done", text: t("Saved.") };
    case "token": {
      const token = await renewToken(kv, organizationId, by);
      if (token === null) break;
      return { kind: "token", token };
    }
    case "remove-logo":
      await removeLogo(kv, organizationId, by);
      return { kind: "done", text: t("The logo is removed.") };
    case "delete":
      if (fieldOf(form, CONFIRM_FIELD) !== page.slug) {
        throw new InvalidInput(CONFIRM_FIELD, t("Type the name exactly as it is shown."));
      }
      await deletePage(kv, page);
      return { kind: "done", text: t("The status page is deleted.") };
  }
  throw new InvalidInput("", t("This form is not known here. Load the page anew."));
}

/** Shows more monitors; none of another organization, whatever the form says. */
async function addEntries(
  stores: Stores,
  page: StatusPage,
  keys: readonly string[],
  by: string,
): Promise<void> {
  const { kv } = stores;
  const monitors = await availableMonitors(stores, page.organizationId);
  const known = new Map(monitors.map((monitor) => [entryKey(monitor), monitor]));
  const chosen = [...new Set(keys)].map((key) => {
    const monitor = known.get(key);
    if (monitor === undefined) {
      throw new InvalidInput("monitor", t("Choose monitors of this organization's projects."));
    }
    const { projectId, monitorId, name, projectName } = monitor;
    const group = projectName.slice(0, MAX_GROUP);
    return { projectId, monitorId, name: shortName(name), group, badge: randomHex(16) };
  });
  if (chosen.length === 0) throw new InvalidInput("monitor", t("Choose at least one monitor."));
  const changed = await changePage(kv, page.organizationId, ({ entries }) => {
    const shown = new Set(entries.map(entryKey));
    const all = [...entries, ...chosen.filter((entry) => !shown.has(entryKey(entry)))];
    if (all.length > MAX_ENTRIES) {
      throw new InvalidInput(
        "monitor",
        t("A status page shows at most {n} monitors.", { n: MAX_ENTRIES }),
      );
    }
    return { entries: all };
  }, by);
  await refreshed(stores, changed);
}

/** Public names are as long as other names. */
function shortName(name: string): string {
  return [...name.replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ")]
    .slice(0, 64).join("").trim() || "Monitor";
}

/** Takes over names, groups and order of what is shown; the rows of the form stand for themselves. */
async function changeEntries(
  stores: Stores,
  page: StatusPage,
  form: URLSearchParams,
  by: string,
): Promise<void> {
  const [keys, names, groups, places] = ["key", "name", "group", "place"].map((name) =>
    form.getAll(name)
  );
  const removed = new Set(form.getAll("remove"));
  const wanted = new Map<string, Pick<PageEntry, "name" | "group"> & { readonly place: number }>();
  keys?.forEach((key, row) => {
    if (removed.has(key)) return;
    const group = groups?.[row]?.trim() ?? "";
    const place = Number(places?.[row] ?? row);
    wanted.set(key, {
      name: checkName("name", names?.[row] ?? ""),
      group: group === "" ? "" : checkName("group", group),
      place: Number.isFinite(place) ? place : row,
    });
  });
  const changed = await changePage(stores.kv, page.organizationId, ({ entries }) => ({
    entries: entries.flatMap((entry) => {
      const key = entryKey(entry);
      const { place = Infinity, ...words } = wanted.get(key) ?? {};
      return removed.has(key) ? [] : [{ entry: { ...entry, ...words }, place }];
    }).sort((a, b) => a.place - b.place).map(({ entry }) => entry),
  }), by);
  await refreshed(stores, changed);
}

/** Somebody waits; what is not done then is done within a minute. */
const REFRESH_LIMIT_MS = 3 * SECOND_MS;

/** The public sees a change at once, as far as Postgres answers. */
async function refreshed({ kv, sql, log }: Stores, page: StatusPage | null): Promise<void> {
  if (page === null) return;
  try {
    await withTimeLimit(refreshSnapshot({ kv, sql }, page), REFRESH_LIMIT_MS);
  } catch (error) {
    log.warn("cannot read the state for a status page", { error });
  }
}
