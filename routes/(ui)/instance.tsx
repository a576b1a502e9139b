import type { ComponentChildren } from "preact";
import { HttpError } from "fresh";
import { Denied } from "../../lib/core/errors.ts";
import { findOrganization } from "../../lib/accounts/organizations.ts";
import { setMonthlyQuota } from "../../lib/accounts/quotas.ts";
import { Badge } from "../../lib/ui/components/badge.tsx";
import { t } from "../../lib/core/language/translate.ts";
import { Button, LinkButton } from "../../lib/ui/components/button.tsx";
import { Cell, Row, Table } from "../../lib/ui/components/table.tsx";
import { Field, type FormErrors } from "../../lib/ui/components/fields.tsx";
import { Page, PageHeader } from "../../lib/ui/components/page.tsx";
import { Panel } from "../../lib/ui/components/panel.tsx";
import { RelativeTime } from "../../lib/ui/components/values.tsx";
import { redirectWithFlash } from "../../lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "../../lib/ui/form.ts";
import { formatBytes, formatExact, formatPercent } from "../../lib/ui/format.ts";
import {
  type InstanceView,
  loadInstance,
  requestsOfMonth,
} from "../../lib/server/load_instance.ts";
import { organizationPath } from "../../lib/projects/settings_page.tsx";
import { loadShell } from "../../lib/server/shell.tsx";
import type { Shell } from "../../lib/ui/shell.ts";
import { linesBy } from "../../lib/usage/usage_tables.tsx";
import { reasonWord } from "../../lib/usage/reasons.ts";
import { VERSION } from "../../lib/core/config.ts";
import { define, type State } from "../../lib/server/define.ts";
import { formHandlers } from "../../lib/server/form_handlers.ts";

interface InstanceData extends InstanceView {
  readonly shell: Shell;
  /** What was wrong with the quota sent for an organization. */
  readonly refused: { readonly organizationId: string; readonly errors: FormErrors } | null;
}

/** What runs here, whether it is well, and how much each organization may send. */
export default define.page<typeof handler>(({ data }) => (
  <Page shell={data.shell} crumbs={[{ label: "Instance" }]} width="narrow">
    <PageHeader
      title="Instance"
      actions={<LinkButton href="/instance/audit">{t("Audit log")}</LinkButton>}
    />
    <div class="mt-5 space-y-6">
      <HealthPanel {...data} />
      <SpoolPanel {...data} />
      <OrganizationsPanel {...data} />
      <StrangersPanel {...data} />
    </div>
  </Page>
));

const STORES = [["kv", "Deno KV"], ["postgres", "Postgres"], ["objects", "Object store"]] as const;

const INTAKE_WORDS = {
  ok: "Everything is stored at once.",
  spooling: "Postgres is away: requests are kept in the spool and stored when it is back.",
  refusing: "Requests are refused with 503: they can be neither stored nor kept.",
} as const;

function HealthPanel({ health, intake, startedAt, baseUrl }: InstanceData) {
  const failing = health.ok ? [] : health.failing;
  return (
    <Panel title="Health" id="health">
      <ul class="flex flex-wrap gap-3">
        {STORES.map(([name, label]) => (
          <li key={name}>
            {failing.includes(name)
              ? <Badge tone="danger" icon="error">{label}: away</Badge>
              : <Badge tone="ok" icon="ok">{label}</Badge>}
          </li>
        ))}
      </ul>
      <p class="mt-3">{INTAKE_WORDS[intake]}</p>
      <p class="mt-1 text-sm text-muted">
        Watchpost {VERSION} at {baseUrl}. This process was started{" "}
        <RelativeTime date={startedAt} />.
      </p>
    </Panel>
  );
}

function SpoolPanel({ spool }: InstanceData) {
  return (
    <Panel
      title="Spool"
      id="spool"
      description="Requests that wait in the object store while Postgres is away; stored in order when it is back."
    >
      {spool === null
        ? <p class="text-muted">The object store does not answer.</p>
        : (
          <dl class="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
            <Fact label="Waiting">
              {formatBytes(spool.waitingBytes)} of {formatBytes(spool.maxBytes)}
            </Fact>
            <Fact label="Oldest">
              {spool.oldestWaitingSince ? <RelativeTime date={spool.oldestWaitingSince} /> : "–"}
            </Fact>
            <Fact label="Last replay by this process">
              {spool.lastReplayAt ? <RelativeTime date={spool.lastReplayAt} /> : "–"}
            </Fact>
            <Fact label="Set aside">
              {formatExact(spool.setAsideObjects)}
              {spool.setAsideObjects > 0 && (
                <span class="block text-meta text-muted">
                  could not be read: see spool_set_aside/ in the object store
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
      title="Organizations and quotas"
      id="organizations"
      description="Requests that an organization may send in a calendar month (UTC); 0 is unlimited. A new quota holds from the next request on, and counts what was stored of this month."
      flush
    >
      <ul class="divide-y divide-line">
        {organizations.map(({ organization, projects, quota, requests }) => {
          const errors = refused?.organizationId === organization.id ? refused.errors : {};
          return (
            <li key={organization.id} class="flex flex-wrap items-end gap-x-6 gap-y-2 px-4 py-3">
              <div class="min-w-0 flex-1 basis-56">
                <a class="link font-medium" href={`${organizationPath(organization.slug)}/usage`}>
                  {organization.name}
                </a>
                <p class="text-sm text-muted tabular-nums">
                  {projects === 1 ? "1 project" : `${projects} projects`} · {quota.quota === 0
                    ? `unlimited, ${formatExact(requests)} requests this month`
                    : `${formatExact(quota.used)} used this month (${
                      formatPercent(quota.used / quota.quota)
                    })`}
                </p>
              </div>
              <form method="post" class="flex items-end gap-2">
                <input type="hidden" name="organization" value={organization.id} />
                <Field
                  name="quota"
                  idPrefix={`${organization.id}-`}
                  label="Requests a month"
                  value={String(quota.quota)}
                  error={errors.quota}
                  autocomplete="off"
                  required
                />
                <Button>Set</Button>
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
      title="Requests of nobody"
      id="strangers"
      description="Refused this month without belonging to any project."
      flush={lines.length > 0}
    >
      {lines.length === 0 ? <p class="text-muted">There were none.</p> : (
        <Table
          caption="Requests of nobody"
          columns={[{ label: "Reason" }, { label: "Requests", align: "right" }]}
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

/** To everybody else the page does not exist. @throws {HttpError} 404 */
function requireInstanceAdmin({ actor }: State): void {
  if (actor.kind === "nobody") throw new Denied(401, "Sign in first.");
  if (actor.kind === "user" && actor.user.isInstanceAdmin) return;
  throw new HttpError(404, "There is no such page.");
}

export const handler = formHandlers<InstanceData>(async (ctx) => {
  requireInstanceAdmin(ctx.state);
  ctx.state.meta.title = "Instance";
  const [shell, instance] = await Promise.all([loadShell(ctx), loadInstance(ctx.state.services)]);
  return { shell, ...instance, refused: null };
}, async (ctx) => {
  requireInstanceAdmin(ctx.state);
  const { services } = ctx.state;
  const form = await readForm(ctx.req);
  const organization = await findOrganization(services.kv, fieldOf(form, "organization"));
  if (organization === null) throw new HttpError(404, "This organization does not exist.");
  const text = fieldOf(form, "quota").replace(/[,_ ]/g, "");
  const stored = await requestsOfMonth(services, organization.id);
  const result = await attempt(() =>
    setMonthlyQuota(services.kv, organization.id, text === "" ? NaN : Number(text), stored)
  );
  return result.ok
    ? redirectWithFlash("/instance", `The quota of ${organization.name} is saved.`)
    : { changes: { refused: { organizationId: organization.id, errors: result.errors } } };
});
