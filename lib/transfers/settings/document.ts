/** A project's settings as one JSON document, as the API shows and takes them: no ids of other things, and no secrets. */
import { findProject, type Project, settingsOf } from "../../accounts/projects.ts";
import { inputOf, listChannels, listRules } from "../../alerts/mod.ts";
import { findDashboard, listDashboards, toDocument } from "../../dashboards/mod.ts";
import {
  discardedGroups,
  findCodeowners,
  listMappings,
  mappingInput,
  ownershipSettings,
  sharedSearches,
} from "../../errors/mod.ts";
import { listCronMonitors, listMonitors } from "../../monitors/mod.ts";
import type { Sql } from "../../store/database.ts";

/** Names the kind of document; `version` counts its shapes. */
export const SETTINGS_FORMAT = "watchpost-settings";
export const SETTINGS_VERSION = 1;

/** All that is set of a project. What belongs to several rooms names channels by type and name. @returns null: it is deleted */
export async function settingsDocument(kv: Deno.Kv, sql: Sql, projectId: string) {
  const project = await findProject(kv, projectId);
  if (project === null) return null;
  const [channels, rules, crons, uptimes, summaries, ownership] = await Promise.all([
    listChannels(sql, projectId),
    listRules(sql, projectId),
    listCronMonitors(sql, [projectId]),
    listMonitors(sql, projectId),
    listDashboards(sql, projectId),
    ownershipSettings(sql, projectId),
  ]);
  const [mappings, codeowners, savedSearches, discards] = await Promise.all([
    listMappings(sql, projectId),
    findCodeowners(sql, projectId),
    sharedSearches(sql, project),
    discardedGroups(sql, projectId),
  ]);
  const fileMapping = mappings.find(({ id }) => id === codeowners?.codeMappingId);
  const dashboards = await Promise.all(
    summaries.map(({ dashboardId }) => findDashboard(sql, projectId, dashboardId)),
  );
  const channelsOf = (ids: readonly string[]) =>
    channels.filter(({ channelId }) => ids.includes(channelId))
      .map(({ type, name }) => ({ type, name }));
  return {
    format: SETTINGS_FORMAT,
    version: SETTINGS_VERSION,
    project: chosenOf(project),
    channels: channels.map(({ type, name, target }) => ({ type, name, target })),
    alerts: rules.map((rule) => {
      const { channelIds, ...input } = inputOf(rule);
      return { ...input, channels: channelsOf(channelIds) };
    }),
    cronMonitors: crons.map(({ slug, name, isActive, isMuted, config }) => ({
      slug,
      name,
      isActive,
      isMuted,
      config,
    })),
    uptimeMonitors: uptimes.map((monitor) => ({
      name: monitor.name,
      target: monitor.target,
      intervalSec: monitor.intervalSec,
      failureThreshold: monitor.failureThreshold,
      recoveryThreshold: monitor.recoveryThreshold,
      certificateDays: monitor.certificateDays,
      windows: monitor.windows,
      isPaused: monitor.isPaused,
      channels: channelsOf(monitor.channelIds),
    })),
    dashboards: dashboards.flatMap((dashboard) => dashboard === null ? [] : toDocument(dashboard)),
    ownership: ownership.createdAt === null ? null : {
      raw: ownership.raw,
      fallthrough: ownership.fallthrough,
      autoAssignment: ownership.autoAssignment,
      autoSync: ownership.autoSync,
    },
    codeMappings: mappings.map((mapping) => ({
      ...rootsOf(mapping),
      host: mapping.host,
      address: mappingInput(mapping).address,
      defaultBranch: mapping.defaultBranch,
    })),
    codeowners: codeowners === null ? null : {
      raw: codeowners.raw,
      names: codeowners.names,
      codeMapping: fileMapping === undefined ? null : rootsOf(fileMapping),
    },
    savedSearches,
    discards,
  };
}

/** What names a code mapping: no project has two of the same. */
export function rootsOf(
  { repository, stackRoot, sourceRoot }: Awaited<ReturnType<typeof listMappings>>[number],
) {
  return { repository, stackRoot, sourceRoot };
}

/** What somebody has set; the rest has its default, wherever it is. */
function chosenOf(project: Project) {
  const all = Object.entries(settingsOf(project));
  return Object.fromEntries(all.filter(([name]) => Object.hasOwn(project.settings ?? {}, name)));
}
