import type { ComponentChildren } from "preact";
import { HttpError } from "fresh";
import { findOrganization } from "../../lib/accounts/organizations.ts";
import { setMonthlyBytes, setMonthlyQuota } from "../../lib/accounts/quotas.ts";
import { Badge } from "../../lib/ui/components/badge.tsx";
import { type Message, message, rich, t } from "../../lib/core/language/translate.ts";
import { Button } from "../../lib/ui/components/button.tsx";
import { Cell, Row, Table } from "../../lib/ui/components/table.tsx";
import { Field, type FormErrors } from "../../lib/ui/components/fields.tsx";
import { Panel } from "../../lib/ui/components/panel.tsx";
import { RelativeTime } from "../../lib/ui/components/values.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { actionOf, attempt, fieldOf, readForm } from "../../lib/ui/form.ts";
import { formatBytes, formatExact, formatPercent } from "../../lib/ui/format.ts";
import {
  acceptedThisMonth,
  type InstanceView,
  loadInstance,
} from "../../lib/server/load_instance.ts";
import {
  loadOwnHealth,
  LoadPanel,
  type LoadView,
} from "../../lib/server/own_health/load_panel.tsx";
import { DiskPanel, type DiskView, loadDisk } from "../../lib/server/own_health/disk_panel.tsx";
import { type Instance, listInstances } from "../../lib/server/own_health/instances.ts";
import { InstancesPanel } from "../../lib/server/own_health/instances_panel.tsx";
import {
  loadOwnTelemetry,
  OwnTelemetryPanel,
  type OwnTelemetryView,
  WATCH_ACTIONS,
} from "../../lib/server/own_telemetry/panel.tsx";
import { loadSlow, SlowPanel } from "../../lib/server/own_health/slow_panel.tsx";
import type { SlowStatement } from "../../lib/store/slow_statements.ts";
import { organizationPath } from "../../lib/projects/settings_page.tsx";
import { loadShell } from "../../lib/server/shell.tsx";
import type { Shell } from "../../lib/ui/shell.ts";
import { linesBy } from "../../lib/usage/usage_tables.tsx";
import { reasonWord } from "../../lib/usage/reasons.ts";
import { readByteSize, writeByteSize } from "../../lib/core/byte_size.ts";
import { VERSION } from "../../lib/core/config.ts";
import { define } from "../../lib/server/define.ts";
import { requireInstanceAdmin } from "../../lib/server/require_instance_admin.ts";
import { InstancePage } from "../../lib/ui/tabbed_pages.tsx";
import { formHandlers } from "../../lib/server/form_handlers.ts";
import {
  ASIDE_ACTIONS,
  type AsideView,
  loadAside,
  SetAsidePanel,
} from "../../lib/server/set_aside.tsx";

interface InstanceData extends InstanceView {
  readonly shell: Shell;
  readonly own: LoadView;
  /** Null while Deno KV is away. */
  readonly instances: readonly Instance[] | null;
  readonly room: DiskView;
  readonly slow: readonly SlowStatement[] | null;
  readonly aside: AsideView | null;
  readonly telemetry: OwnTelemetryView;
  /** What was wrong with the quota sent for an organization. */
  readonly refused: { readonly organizationId: string; readonly errors: FormErrors } | null;
}

/** What runs here, whether it is well, and how much each organization may send. */
export default define.page<typeof handler>(({ data }) => (
  <InstancePage shell={data.shell} tab="state">
    <HealthPanel {...data} />
    <LoadPanel {...data.own} />
    <InstancesPanel instances={data.instances} />
    <DiskPanel {...data.room} />
    <SlowPanel statements={data.slow} />
    <SpoolPanel {...data} />
    <SetAsidePanel {...data} />
    <OwnTelemetryPanel {...data} />
    <OrganizationsPanel {...data} />
    <StrangersPanel {...data} />
  </InstancePage>
));

const STORES = [["kv", "Deno KV"], ["postgres", "Postgres"], [
  "objects",
  "Object store",
]] as const satisfies readonly (readonly [string, Message])[];

const INTAKE_WORDS = {
  ok: message("Everything is stored at once."),
  spooling: message("Postgres is away: requests are kept in the spool and stored when it is back."),
  refusing: message("Requests are refused with 503: they can be neither stored nor kept."),
} as const;

function HealthPanel({ health, intake, startedAt, baseUrl }: InstanceData) {
  const failing = health.ok ? [] : health.failing;
  return (
    <Panel title={t("Health")} id="health">
      <ul class="flex flex-wrap gap-3">
        {STORES.map(([name, label]) => (
          <li key={name}>
            {failing.includes(name)
              ? <Badge tone="danger" icon="error">{t("{label}: away", { label: t(label) })}</Badge>
              : <Badge tone="ok" icon="ok">{t(label)}</Badge>}
          </li>
        ))}
      </ul>
      <p class="mt-3">{t(INTAKE_WORDS[intake])}</p>
      <p class="mt-1 text-sm text-muted">
        {rich("Watchpost {version} at {url}. This process was started {ago}.", {
          version: VERSION,
          url: baseUrl,
          ago: <RelativeTime date={startedAt} />,
        })}
      </p>
    </Panel>
  );
}

function SpoolPanel({ spool }: InstanceData) {
  return (
    <Panel
      title={t("Spool")}
      id="spool"
      description={t(
        "Requests that wait in the object store while Postgres is away; stored in order when it is back.",
      )}
    >
      {spool === null
        ? <p class="text-muted">{t("The object store does not respond.")}</p>
        : (
          <dl class="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
            <Fact label={t("Waiting")}>
              {t("{waiting} of {most}", {
                waiting: formatBytes(spool.waitingBytes),
                most: formatBytes(spool.maxBytes),
              })}
            </Fact>
            <Fact label={t("Oldest")}>
              {spool.oldestWaitingSince ? <RelativeTime date={spool.oldestWaitingSince} /> : "–"}
            </Fact>
            <Fact label={t("Last replay by this process")}>
              {spool.lastReplayAt ? <RelativeTime date={spool.lastReplayAt} /> : "–"}
            </Fact>
            <Fact label={t("Damaged")}>
              {formatExact(spool.setAsideObjects)}
              {spool.setAsideObjects > 0 && (
                <span class="block text-meta text-muted">
                  {t("could not be read: see spool_set_aside/ in the object store")}
                </span>
              )}
            </Fact>
          </dl>
        )}
    </Panel>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class="tabular-nums">{children}</dd>
    </div>
  );
}

function OrganizationsPanel({ organizations, refused }: InstanceData) {
  return (
    <Panel
      title={t("Organizations and quotas")}
      id="organizations"
      description={t(
        "What an organization may send in a calendar month (UTC), data as it is sent; 0 is unlimited. A new quota holds from the next request on, and counts what was stored of this month.",
      )}
      flush
    >
      <ul class="divide-y divide-line">
        {organizations.map(({ organization, projects, quota, bytesQuota, accepted }) => {
          const errors = refused?.organizationId === organization.id ? refused.errors : {};
          return (
            <li key={organization.id} class="flex flex-wrap items-end gap-x-6 gap-y-2 px-4 py-3">
              <div class="min-w-0 flex-1 basis-56">
                <a class="link font-medium" href={`${organizationPath(organization.slug)}/usage`}>
                  {organization.name}
                </a>
                <p class="text-sm text-muted tabular-nums">
                  {t("{n} project|{n} projects", { n: projects })} · {quota.quota === 0
                    ? t("unlimited, {n} request this month|unlimited, {n} requests this month", {
                      n: accepted.requests,
                    })
                    : t("{used} used this month ({share})", {
                      used: formatExact(quota.used),
                      share: formatPercent(quota.used / quota.quota),
                    })} · {bytesQuota.quota === 0
                    ? t("unlimited, {bytes} this month", { bytes: formatBytes(accepted.bytes) })
                    : t("{used} of data this month ({share})", {
                      used: formatBytes(bytesQuota.used),
                      share: formatPercent(bytesQuota.used / bytesQuota.quota),
                    })}
                </p>
              </div>
              <form method="post" class="flex flex-wrap items-end gap-2">
                <input type="hidden" name="organization" value={organization.id} />
                <Field
                  name="quota"
                  idPrefix={`${organization.id}-`}
                  label={t("Requests a month")}
                  value={String(quota.quota)}
                  error={errors.quota}
                  autocomplete="off"
                  required
                />
                <Field
                  name="bytes"
                  idPrefix={`${organization.id}-`}
                  label={t("Data a month")}
                  value={writeByteSize(bytesQuota.quota)}
                  error={errors.bytes}
                  autocomplete="off"
                  required
                />
                <Button>{t("Set")}</Button>
              </form>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function StrangersPanel({ strangers }: InstanceData) {
  const lines = linesBy(strangers, ({ reason }) => reason);
  return (
    <Panel
      title={t("Requests of unknown projects")}
      id="strangers"
      description={t("Refused this month without belonging to any project.")}
      flush={lines.length > 0}
    >
      {lines.length === 0 ? <p class="text-muted">{t("There were none.")}</p> : (
        <Table
          caption={t("Requests of unknown projects")}
          columns={[{ label: t("Reason") }, { label: t("Requests"), align: "right" }]}
        >
          {lines.map(({ key, total }) => (
            <Row key={key}>
              <Cell>{reasonWord(key)}</Cell>
              <Cell align="right">{formatExact(total)}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const ACTIONS = { ...ASIDE_ACTIONS, ...WATCH_ACTIONS };

export const handler = formHandlers<InstanceData>(async (ctx) => {
  requireInstanceAdmin(ctx.state);
  ctx.state.meta.title = t("Instance");
  const { services } = ctx.state;
  const [shell, instance, own, room, slow, instances, aside, telemetry] = await Promise.all([
    loadShell(ctx),
    loadInstance(services),
    loadOwnHealth(services),
    loadDisk(services),
    loadSlow(services.kv),
    listInstances(services).catch(() => null),
    loadAside(services),
    loadOwnTelemetry(services),
  ]);
  return { shell, ...instance, own, room, slow, instances, aside, telemetry, refused: null };
}, async (ctx) => {
  requireInstanceAdmin(ctx.state);
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  if (form.has("action")) return await actionOf(ACTIONS, form)(services, form);
  const organization = await findOrganization(services.kv, fieldOf(form, "organization"));
  if (organization === null) throw new HttpError(404, t("This organization does not exist."));
  const stored = await acceptedThisMonth(services, organization.id);
  const result = await attempt(async () => {
    if (form.has("quota")) {
      const text = fieldOf(form, "quota").replace(/[,_ ]/g, "");
      const requests = text === "" ? NaN : Number(text);
      await setMonthlyQuota(services.kv, organization.id, requests, stored.requests);
    }
    if (form.has("bytes")) {
      const bytes = readByteSize(fieldOf(form, "bytes"));
      await setMonthlyBytes(services.kv, organization.id, bytes, stored.bytes);
    }
  });
  return result.ok
    ? redirectWithFlash(
      "/instance",
      t("The quota of {name} is saved.", { name: organization.name }),
    )
    : { changes: { refused: { organizationId: organization.id, errors: result.errors } } };
});
