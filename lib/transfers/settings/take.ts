/**
 * Brings a document of settings into a project. What is there stays as it is: only what nobody has set is set, and only
 * what no rule, monitor or dashboard is called yet is made.
 */
import { resolveAssignee } from "../../accounts/assignees.ts";
import { findProject, type ProjectSettings, updateSettings } from "../../accounts/projects.ts";
import {
  addOutline,
  CHANNEL_TYPES,
  checkAlert,
  createRule,
  listChannels,
  listRules,
  MAX_CHANNELS,
  pinMetrics,
  TooManyRules,
} from "../../alerts/mod.ts";
import type { Config } from "../../core/config.ts";
import { InvalidInput } from "../../core/errors.ts";
import { currentScope, inScope } from "../../core/request_scope.ts";
import { createDashboard, fromDocument, listDashboards } from "../../dashboards/mod.ts";
import {
  addMapping,
  AUTO_ASSIGNMENTS,
  type DiscardedGroup,
  discardGroup,
  findCodeowners,
  listMappings,
  listSearches,
  MAX_GROUP_HASHES,
  ownershipSettings,
  saveCodeowners,
  saveOwnership,
  shareSearch,
} from "../../errors/mod.ts";
import {
  asObject,
  clippedName,
  type Raw,
  readBoolean,
  readInteger,
  readText,
} from "../../formats/fields.ts";
import { readEventId } from "../../formats/ids.ts";
import {
  checkCronName,
  checkCronSlug,
  checkMonitor,
  createCronMonitor,
  createMonitor,
  listCronMonitors,
  listMonitors,
  readConfig,
  withoutSecrets,
} from "../../monitors/mod.ts";
import type { Sql } from "../../store/database.ts";
import { type Counts, sumOf, type Transfer } from "../transfers.ts";
import { SETTINGS_FORMAT, SETTINGS_VERSION } from "./document.ts";
import { PROJECT_SETTINGS } from "./project_settings.ts";

interface SettingsServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Pick<Config, "secretKey" | "retentionDays">;
}

/** Whether a value is such a document, of any version. */
export function isSettings(raw: Raw): boolean {
  return raw.format === SETTINGS_FORMAT;
}

const TAKEN: Counts = { settings: 1 };
const THERE: Counts = { there_already: 1 };
const REFUSED: Counts = { settings_refused: 1 };

/** @returns what became of everything in it: nothing of it fails the import */
export async function takeSettings(
  services: SettingsServices,
  transfer: Transfer,
  raw: Raw,
): Promise<Counts> {
  if (!transfer.takesSettings) return { settings_left_out: 1 };
  if (raw.version !== SETTINGS_VERSION) return REFUSED;
  const makers = [
    takeOwn,
    takeChannels,
    takeAlerts,
    takeCrons,
    takeUptimes,
    takeDashboards,
    takeOwnership,
    takeMappings,
    takeCodeowners,
    takeSearches,
    takeDiscards,
  ];
  return await askedFor(transfer, async () => {
    let counts: Counts = {};
    for (const take of makers) counts = sumOf(counts, await take(services, transfer, raw));
    return counts;
  });
}

/** Audit entries name whoever asked for the import, not whoever of us does it. */
function askedFor<T>({ organizationId, askedBy }: Transfer, work: () => Promise<T>): Promise<T> {
  const scope = currentScope();
  return inScope({ ...scope, organizationId, asker: { ...scope.asker, label: askedBy } }, work);
}

/** Makes one thing. What a person could not have entered either is refused. */
async function made(make: () => Promise<unknown>): Promise<Counts> {
  try {
    await make();
    return TAKEN;
  } catch (error) {
    if (error instanceof InvalidInput && error.reason === "taken") return THERE;
    if (error instanceof InvalidInput || error instanceof TooManyRules) return REFUSED;
    throw error;
  }
}

/** More of a kind no project has, and each takes its time. */
const MAX_EACH = 10_000;

/** Makes each of a list that nothing here is called as. */
async function madeOf(
  list: unknown,
  nameOf: (each: Raw) => string,
  known: readonly string[],
  make: (each: Raw) => Promise<unknown>,
  most = MAX_EACH,
): Promise<Counts> {
  const names = new Set(known);
  const sent: readonly unknown[] = Array.isArray(list) ? list : [];
  let counts: Counts = { settings_refused: Math.max(0, sent.length - most) };
  for (const value of sent.slice(0, most)) {
    const each = asObject(value);
    const isThere = each !== undefined && names.has(nameOf(each));
    const became = each === undefined ? REFUSED : isThere ? THERE : await made(() => make(each));
    counts = sumOf(counts, became);
  }
  return counts;
}

const byName = ({ name }: Raw) => (readText(name) ?? "").trim();

/** The project's own, each by itself. */
async function takeOwn(
  { kv, config }: SettingsServices,
  { projectId }: Transfer,
  raw: Raw,
): Promise<Counts> {
  const project = await findProject(kv, projectId);
  const sent = asObject(raw.project) ?? {};
  let counts: Counts = {};
  const changes: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(PROJECT_SETTINGS)) {
    if (!Object.hasOwn(sent, name)) continue;
    const read = schema.safeParse(sent[name]);
    const isThere = Object.hasOwn(project?.settings ?? {}, name);
    if (!isThere && read.success) changes[name] = read.data;
    counts = sumOf(counts, isThere ? THERE : read.success ? TAKEN : REFUSED);
  }
  const own = changes as Partial<ProjectSettings>;
  if (own.retention !== undefined) {
    // What is kept for as long as the instance keeps anything follows it.
    changes.retention = Object.fromEntries(
      Object.entries(own.retention).filter(([, days]) => days < config.retentionDays),
    );
  }
  if (Object.keys(changes).length > 0) await updateSettings(kv, projectId, own);
  return counts;
}

/** Where a channel went as it was shown: mail addresses, or the host and the end of a secret. */
const MAX_TARGET = 200;

/** Without their settings, whatever a file says of those: so none leads anywhere before somebody has entered them here. */
async function takeChannels(
  { sql }: SettingsServices,
  { projectId, askedBy }: Transfer,
  { channels }: Raw,
): Promise<Counts> {
  const nameOf = (each: Raw) => `${readText(each.type)} ${byName(each)}`;
  const known = (await listChannels(sql, projectId)).map(({ type, name }) => `${type} ${name}`);
  return await madeOf(channels, nameOf, known, async (each) => {
    const type = CHANNEL_TYPES.find((type) => type === each.type);
    if (type === undefined) throw new InvalidInput("type", "");
    const target = clippedName(each.target, MAX_TARGET) ?? "";
    await addOutline({ sql }, projectId, { type, name: byName(each), target }, askedBy);
  }, MAX_CHANNELS);
}

/** Ids of this project's channels that are called so, those of the same import with them. */
async function channelFinder({ sql }: SettingsServices, projectId: string) {
  const channels = await listChannels(sql, projectId);
  return (named: unknown): string[] => {
    const wanted = (Array.isArray(named) ? named : []).map(asObject);
    return channels.filter(({ type, name }) =>
      wanted.some((each) => each?.type === type && each?.name === name)
    ).map(({ channelId }) => channelId);
  };
}

async function takeAlerts(
  services: SettingsServices,
  { projectId, askedBy }: Transfer,
  { alerts }: Raw,
): Promise<Counts> {
  const { sql } = services;
  const [rules, channelsOf] = await Promise.all([
    listRules(sql, projectId),
    channelFinder(services, projectId),
  ]);
  return await madeOf(alerts, byName, rules.map(({ name }) => name), async (each) => {
    const { channels, ...alert } = each;
    const checked = checkAlert({ ...alert, channelIds: channelsOf(channels) });
    if (!checked.ok) throw new InvalidInput("", "");
    await createRule(sql, projectId, await pinMetrics(sql, projectId, checked.input), askedBy);
  });
}

async function takeCrons(
  { sql }: SettingsServices,
  { projectId }: Transfer,
  { cronMonitors }: Raw,
): Promise<Counts> {
  const known = (await listCronMonitors(sql, [projectId])).map(({ slug }) => slug);
  const slugOf = ({ slug }: Raw) => readText(slug) ?? "";
  return await madeOf(cronMonitors, slugOf, known, async (each) => {
    const sent = asObject(each.config);
    const read = sent === undefined ? null : readConfig(sent, null);
    if (read?.ok === false) throw new InvalidInput("config", "");
    await createCronMonitor(sql, projectId, checkCronSlug(slugOf(each)), {
      name: checkCronName(readText(each.name) ?? slugOf(each)),
      isActive: readBoolean(each.isActive) ?? true,
      isMuted: readBoolean(each.isMuted) ?? false,
      config: read?.config ?? null,
    });
  });
}

async function takeUptimes(
  services: SettingsServices,
  { projectId, askedBy }: Transfer,
  { uptimeMonitors }: Raw,
): Promise<Counts> {
  const [monitors, channelsOf] = await Promise.all([
    listMonitors(services.sql, projectId),
    channelFinder(services, projectId),
  ]);
  const known = monitors.map(({ name }) => name);
  return await madeOf(uptimeMonitors, byName, known, async (each) => {
    const { channels, ...monitor } = each;
    const checked = checkMonitor({ ...monitor, channelIds: channelsOf(channels) });
    if (!checked.ok) throw new InvalidInput("", "");
    const { input } = checked;
    const target = withoutSecrets(input.target);
    // Without what it needs to get in it would only fail.
    const isPaused = input.isPaused || JSON.stringify(target) !== JSON.stringify(input.target);
    await createMonitor(services, projectId, { ...input, target, isPaused }, askedBy);
  });
}

async function takeDashboards(
  { sql }: SettingsServices,
  { projectId }: Transfer,
  { dashboards }: Raw,
): Promise<Counts> {
  const known = (await listDashboards(sql, projectId)).map(({ name }) => name);
  return await madeOf(
    dashboards,
    byName,
    known,
    (each) => createDashboard(sql, projectId, fromDocument(each), null),
  );
}

/** Owners are called by mail address and team: those that are not here make the rules wrong. */
async function takeOwnership(
  { kv, sql }: SettingsServices,
  { projectId, organizationId, askedBy }: Transfer,
  raw: Raw,
): Promise<Counts> {
  const sent = asObject(raw.ownership);
  if (sent === undefined) return {};
  if ((await ownershipSettings(sql, projectId)).createdAt !== null) return THERE;
  const autoAssignment = AUTO_ASSIGNMENTS.find((each) => each === sent.autoAssignment);
  const [fallthrough, autoSync] = [readBoolean(sent.fallthrough), readBoolean(sent.autoSync)];
  const change = {
    raw: readText(sent.raw) ?? "",
    ...(autoAssignment !== undefined && { autoAssignment }),
    ...(fallthrough !== undefined && { fallthrough }),
    ...(autoSync !== undefined && { autoSync }),
  };
  const project = { id: projectId, organizationId };
  return await made(() => saveOwnership({ kv, sql }, project, change, askedBy));
}

async function takeMappings(
  { sql }: SettingsServices,
  { projectId, askedBy }: Transfer,
  { codeMappings }: Raw,
): Promise<Counts> {
  return await madeOf(codeMappings, () => "", [], (each) =>
    addMapping(sql, projectId, {
      host: readText(each.host) ?? "",
      address: readText(each.address) ?? "",
      repository: readText(each.repository) ?? "",
      stackRoot: readText(each.stackRoot) ?? "",
      sourceRoot: readText(each.sourceRoot) ?? "",
      defaultBranch: readText(each.defaultBranch) ?? "",
    }, askedBy));
}

/** Without the code mapping that it has, its paths would mean others. */
async function takeCodeowners(
  { kv, sql }: SettingsServices,
  { projectId, organizationId, askedBy }: Transfer,
  raw: Raw,
): Promise<Counts> {
  const sent = asObject(raw.codeowners);
  if (sent === undefined) return {};
  if (await findCodeowners(sql, projectId) !== null) return THERE;
  const named = asObject(sent.codeMapping);
  const mapping = (await listMappings(sql, projectId)).find((each) =>
    each.repository === named?.repository && each.stackRoot === named.stackRoot &&
    each.sourceRoot === named.sourceRoot
  );
  const names = Object.entries(asObject(sent.names) ?? {});
  const areTexts = names.every((each): each is [string, string] => typeof each[1] === "string");
  if (!areTexts || named !== undefined && mapping === undefined) return REFUSED;
  const change = {
    raw: readText(sent.raw) ?? "",
    codeMappingId: mapping?.id ?? null,
    names: Object.fromEntries(names),
  };
  const project = { id: projectId, organizationId };
  return await made(() => saveCodeowners({ kv, sql }, project, change, askedBy));
}

/** They are the organization's, and whoever asks for the import owns them: a token that is nobody's has none. */
async function takeSearches(
  { kv, sql }: SettingsServices,
  { projectId, organizationId, askedBy }: Transfer,
  { savedSearches }: Raw,
): Promise<Counts> {
  const known = await listSearches(sql, { organizationId, userId: null });
  // Behind the mail address the token may be named.
  const [email = ""] = askedBy.split(" ");
  const owner = email.includes("@")
    ? await resolveAssignee(kv, organizationId, projectId, email)
    : null;
  return await madeOf(savedSearches, byName, known.map(({ name }) => name), async (each) => {
    if (owner?.kind !== "user") throw new InvalidInput("name", "");
    await shareSearch(sql, { organizationId, userId: owner.id }, {
      name: byName(each),
      query: readText(each.query) ?? "",
      sort: readText(each.sort) ?? "",
    });
  });
}

async function takeDiscards(
  { sql }: SettingsServices,
  { projectId, askedBy }: Transfer,
  { discards }: Raw,
): Promise<Counts> {
  return await madeOf(discards, () => "", [], async (each) => {
    const isNew = await discardGroup(sql, projectId, groupOf(each), askedBy);
    if (!isNew) throw new InvalidInput("hashes", "", "taken");
  });
}

const MAX_TITLE = 1_000;
const MAX_SMALLINT = 32_767;

/** @throws {InvalidInput} when no event could be known by it */
function groupOf(raw: Raw): DiscardedGroup {
  const sent: readonly unknown[] = Array.isArray(raw.hashes) ? raw.hashes : [];
  const hashes = new Map(
    sent.slice(0, MAX_GROUP_HASHES).flatMap((each) => {
      const one = asObject(each);
      const [hash, version] = [readEventId(one?.hash), readInteger(one?.version)];
      return hash === undefined || version === undefined || version < 0 || version > MAX_SMALLINT
        ? []
        : [[hash, { hash, version }]];
    }),
  );
  if (hashes.size === 0) throw new InvalidInput("hashes", "");
  return {
    type: clippedName(raw.type, MAX_TITLE) ?? "error",
    title: clippedName(raw.title, MAX_TITLE) ?? "",
    culprit: clippedName(raw.culprit, MAX_TITLE) ?? "",
    level: clippedName(raw.level, MAX_TITLE) ?? "error",
    hashes: [...hashes.values()],
  };
}
