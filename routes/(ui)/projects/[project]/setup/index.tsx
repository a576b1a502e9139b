import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import FirstEvent from "@/islands/FirstEvent.tsx";
import { type IngestKey, listKeys } from "@/lib/accounts/keys.ts";
import type { Project } from "@/lib/accounts/projects.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { LinkButton } from "@/lib/ui/components/button.tsx";
import { Page, PageHeader, Tabs } from "@/lib/ui/components/page.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { listRefused, type RefusedRequest } from "@/lib/usage/refused_requests.ts";
import { DoctorPanel } from "@/lib/usage/doctor_panel.tsx";
import { keyNamesOf } from "@/lib/projects/key_actions.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { DsnList, NoDsn } from "@/lib/projects/keys.tsx";
import type { FirstEventView } from "@/lib/projects/first_event.tsx";
import {
  lacksKey,
  lacksSiteKey,
  lookForFirstEvent,
  NoFittingKey,
  NoSiteKey,
  snippetDsn,
  Steps,
} from "@/lib/projects/setup.tsx";
import { MONITOR_WRITE } from "@/lib/monitors/uptime/pages/actions.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import type { Shell } from "@/lib/ui/shell.ts";
import { type Snippet, snippetFor, SNIPPETS } from "@/lib/projects/snippets/mod.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

interface SetupData {
  readonly shell: Shell;
  readonly project: Project;
  /** Active keys. */
  readonly keys: readonly IngestKey[];
  readonly mayReadKeys: boolean;
  readonly mayAddMonitors: boolean;
  readonly baseUrl: string;
  readonly snippet: Snippet;
  readonly first: FirstEventView | null;
  /** What was refused lately, newest first; empty for who may not see keys. */
  readonly refused: readonly RefusedRequest[];
}

export default define.page<typeof handler>(({ data }) => {
  const { shell, project, keys, baseUrl, snippet, first, mayReadKeys } = data;
  const keysHref = `${sectionPath(project.id, "settings")}/keys`;
  return (
    <Page
      shell={shell}
      section="setup"
      crumbs={[{ label: project.name, href: sectionPath(project.id, "issues") }, {
        label: t("Setup"),
      }]}
    >
      <PageHeader
        title={t("Setup")}
        description={t(
          "Any Sentry SDK works with one of the project's DSNs; OpenTelemetry, Prometheus and profilers with its server key. Pages where nothing can be installed take one line.",
        )}
        actions={
          <LinkButton href={sectionPath(project.id, "issues")} icon="issues">
            {t("Open issues")}
          </LinkButton>
        }
      />
      <div class="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div class="space-y-4 lg:sticky lg:top-16 lg:order-2">
          <FirstEvent
            stream={`${sectionPath(project.id, "setup")}/stream`}
            initial={first}
            mayAddMonitors={data.mayAddMonitors}
          />
          <Panel title="DSN" id="dsn">
            {keys.length > 0
              ? <DsnList keys={keys} baseUrl={baseUrl} />
              : <NoDsn mayRead={mayReadKeys} />}
          </Panel>
        </div>
        <Panel flush>
          <Tabs
            label={t("Language")}
            wraps
            tabs={SNIPPETS.map(({ platform, label }) => ({
              href: `?platform=${platform}`,
              label: t(label),
              isCurrent: platform === snippet.platform,
            }))}
          />
          {lacksKey(data) && <NoFittingKey snippet={snippet} keysHref={keysHref} />}
          {lacksSiteKey(data) && <NoSiteKey keysHref={keysHref} />}
          <Steps snippet={snippet} dsn={snippetDsn({ ...data, projectId: project.id })} />
        </Panel>
      </div>
      {mayReadKeys && (
        <div class="mt-6">
          <DoctorPanel
            refused={data.refused}
            keyNames={keyNamesOf(keys)}
            href={sectionPath(project.id, "setup")}
          />
        </div>
      )}
    </Page>
  );
});

export const handler = define.handlers<SetupData>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { kv, sql, config } = ctx.state.services;
    const mayReadKeys = roleAllows(role, "key:read");
    const [shell, keys, first, refused] = await Promise.all([
      loadShell(ctx, project),
      mayReadKeys ? listKeys(kv, project.id) : [],
      lookForFirstEvent(ctx.state.services, project.id),
      mayReadKeys ? listRefused(sql, project.id).catch(() => []) : [],
    ]);
    ctx.state.meta.title = t("Setup · {name}", { name: project.name });
    return page({
      shell,
      project,
      keys: keys.filter(({ isActive }) => isActive),
      mayReadKeys,
      mayAddMonitors: roleAllows(role, MONITOR_WRITE),
      baseUrl: config.baseUrl,
      snippet: snippetFor(ctx.url.searchParams.get("platform"), project.platform),
      first,
      refused,
    });
  },
});
