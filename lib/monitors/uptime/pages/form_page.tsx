/** The form for a new uptime monitor, or to change one; a check can be tried before it is saved. */
import type { ComponentChildren } from "preact";
import type { Project } from "@/lib/accounts/projects.ts";
import { type Channel, ChannelChoice } from "@/lib/alerts/mod.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import { Checkbox, Field, FormSummary, type Option, Select } from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader, Tabs } from "@/lib/ui/components/page.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { monitorPath, monitorsPath, newMonitorPath, sectionPath } from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import type { ProbeResult } from "../../probes/probe.ts";
import { COMPARISONS, METHODS, RECORD_TYPES } from "../../probes/target.ts";
import { KIND_LABELS, type Monitor } from "../monitor.ts";
import type { ReadMonitorForm, TargetKind } from "./form_params.ts";
import { DISCLOSURE_LOOK, intervalWords } from "./parts.tsx";
import { TryPanel } from "./try_panel.tsx";
import { rich, t } from "@/lib/core/language/translate.ts";

export interface MonitorFormView extends Omit<ReadMonitorForm, "input"> {
  readonly shell: Shell;
  readonly project: Project;
  /** The monitor that is changed; null for a new one. */
  readonly monitor: Monitor | null;
  readonly channels: readonly Channel[];
  /** Of the check that was tried; null: none was. */
  readonly tried: ProbeResult | null;
}

export function MonitorFormPage(view: MonitorFormView) {
  const { shell, project, monitor, kind } = view;
  const own = monitor === null
    ? []
    : [{ label: monitor.name, href: monitorPath(project.id, monitor.monitorId) }];
  return (
    <Page
      shell={shell}
      section="monitors"
      crumbs={[
        { label: project.name, href: sectionPath(project.id, "issues") },
        { label: t("Monitors"), href: monitorsPath(project.id) },
        ...own,
        { label: monitor === null ? t("New monitor") : t("Edit") },
      ]}
    >
      <div class="max-w-4xl">
        <PageHeader
          title={monitor === null ? t("New monitor") : t("Edit {name}", { name: monitor.name })}
        />
        {monitor === null && (
          <div class="mb-4">
            <Tabs
              label={t("What is checked")}
              tabs={(Object.keys(KIND_LABELS) as TargetKind[]).map((each) => ({
                href: `${newMonitorPath(project.id)}?kind=${each}`,
                label: t(KIND_LABELS[each]),
                isCurrent: each === kind,
              }))}
            />
          </div>
        )}
        <MonitorForm {...view} />
      </div>
    </Page>
  );
}

function MonitorForm(view: MonitorFormView) {
  const { project, monitor, kind, errors, tried } = view;
  const back = monitor === null
    ? monitorsPath(project.id)
    : monitorPath(project.id, monitor.monitorId);
  return (
    <form method="post" class="space-y-4" autocomplete="off">
      <input type="hidden" name="kind" value={kind} />
      <FormSummary errors={errors} />
      <TargetPanel {...view} />
      <RhythmPanel {...view} />
      <ChannelPanel {...view} />
      {tried !== null && <TryPanel result={tried} />}
      <div class="flex flex-wrap gap-2">
        <Button kind="primary" name="action" value="save">
          {monitor === null ? t("Create monitor") : t("Save")}
        </Button>
        <Button name="action" value="try">{t("Try now")}</Button>
        <LinkButton kind="plain" href={back}>{t("Cancel")}</LinkButton>
      </div>
    </form>
  );
}

/** What a field of the form has and what is wrong with it. */
function fieldFor({ params, errors }: Pick<MonitorFormView, "params" | "errors">) {
  return (name: string) => ({
    name,
    value: params.get(name) ?? "",
    error: errors[name],
  });
}

function TargetPanel(view: MonitorFormView) {
  const field = fieldFor(view);
  return (
    <Panel title={t("What is checked")} id="target">
      <div class="space-y-4">
        <Field
          {...field("name")}
          label={t("Name@@thing")}
          placeholder={t("Shop, front page")}
          maxLength={120}
          required
        />
        {view.kind === "http" && <HttpFields {...view} />}
        {(view.kind === "tcp" || view.kind === "tls" || view.kind === "ping") && (
          <PlaceFields {...view} />
        )}
        {view.kind === "dns" && <DnsFields {...view} />}
      </div>
    </Panel>
  );
}

function Grid({ children }: { readonly children: ComponentChildren }) {
  return <div class="grid items-start gap-4 sm:grid-cols-2">{children}</div>;
}

const options = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: value }));
const familyOptions = (): readonly Option[] => [
  { value: "any", label: t("IPv4 or IPv6") },
  { value: "4", label: t("IPv4 only") },
  { value: "6", label: t("IPv6 only") },
];

function HttpFields(view: MonitorFormView) {
  const field = fieldFor(view);
  const isOn = (name: string) => view.params.get(name) === "on";
  return (
    <>
      <div class="grid items-start gap-4 sm:grid-cols-[8rem_1fr]">
        <Select {...field("method")} label={t("Method")} options={options(METHODS)} />
        <Field
          {...field("url")}
          label={t("Address")}
          type="url"
          placeholder="https://shop.example.com/"
          required
        />
      </div>
      <Grid>
        <Field
          {...field("expectedStatus")}
          label={t("Expected status")}
          help={t("Statuses and ranges, as 200-299,301.")}
        />
        <Field {...field("keyword")} label={t("Text in the response")} isOptional />
      </Grid>
      <Checkbox
        name="keywordAbsent"
        label={t("The text must not be there")}
        isChecked={isOn("keywordAbsent")}
      />
      <details
        open={["headers", "body", "user", "password", "jsonPath", "jsonValue"].some((name) =>
          view.params.get(name) || view.errors[name]
        )}
      >
        <summary class={DISCLOSURE_LOOK}>{t("Request, sign-in and JSON")}</summary>
        <div class="mt-3 space-y-4">
          <Field
            {...field("headers")}
            label={t("Headers")}
            isOptional
            rows={3}
            mono
            placeholder="Authorization: Bearer …"
            help={t(
              "One a line. Values are sealed and not shown again; asterisks keep what is stored.",
            )}
          />
          <Field {...field("body")} label={t("Body")} isOptional rows={3} mono />
          <Grid>
            <Field {...field("user")} label={t("User name")} isOptional autocomplete="off" />
            <Field
              {...field("password")}
              label={t("Password")}
              type="password"
              isOptional
              autocomplete="new-password"
            />
          </Grid>
          <div class="grid items-start gap-4 sm:grid-cols-[1fr_8rem_1fr]">
            <Field
              {...field("jsonPath")}
              label={t("JSON path")}
              isOptional
              placeholder="data.status"
              mono
            />
            <Select
              {...field("jsonComparison")}
              label={t("Comparison")}
              options={options(COMPARISONS)}
            />
            <Field {...field("jsonValue")} label={t("Value")} isOptional mono />
          </div>
        </div>
      </details>
      <details open={["ignoresTls", "allowsDowngrade", "http2"].some(isOn)}>
        <summary class={DISCLOSURE_LOOK}>{t("Redirects, TLS and network")}</summary>
        <div class="mt-3 space-y-4">
          <Grid>
            <Field
              {...field("maxRedirects")}
              label={t("Redirects followed")}
              type="number"
              help={t("0: a redirect is a response like any other.")}
            />
            <Select {...field("family")} label={t("Addresses")} options={familyOptions()} />
          </Grid>
          <Checkbox
            name="allowsDowngrade"
            label={t("Follow redirects from https to http")}
            isChecked={isOn("allowsDowngrade")}
          />
          <Checkbox
            name="ignoresTls"
            label={t("Ignore what is wrong with the certificate")}
            help={t("Headers and password go to whoever responds then.")}
            isChecked={isOn("ignoresTls")}
          />
          <Checkbox
            name="http2"
            label={t("Speak HTTP/2 where it is offered")}
            isChecked={isOn("http2")}
          />
        </div>
      </details>
    </>
  );
}

function PlaceFields(view: MonitorFormView) {
  const field = fieldFor(view);
  return (
    <>
      <Grid>
        <Field {...field("host")} label={t("Host")} placeholder="db.example.com" required />
        {view.kind !== "ping" && (
          <Field {...field("port")} label={t("Port")} type="number" placeholder="443" required />
        )}
        {view.kind === "tls" && (
          <Field
            {...field("servername")}
            label={t("Name in the certificate")}
            isOptional
            help={t("When it is another than the host.")}
          />
        )}
        <Select {...field("family")} label={t("Addresses")} options={familyOptions()} />
      </Grid>
      {view.kind === "ping" && (
        <p class="text-sm text-muted">
          {rich("Needs the program <code>ping</code> on the server; try it before you save.", {
            code: (words) => <code>{words}</code>,
          })}
        </p>
      )}
    </>
  );
}

function DnsFields(view: MonitorFormView) {
  const field = fieldFor(view);
  return (
    <>
      <div class="grid items-start gap-4 sm:grid-cols-[1fr_8rem]">
        <Field
          {...field("dnsName")}
          label={t("Domain name")}
          placeholder="example.com"
          required
        />
        <Select {...field("recordType")} label={t("Record")} options={options(RECORD_TYPES)} />
      </div>
      <Field
        {...field("expected")}
        label={t("Expected records")}
        isOptional
        rows={3}
        mono
        help={t("One a line; empty: any record will do.")}
      />
      <Grid>
        <Select
          {...field("match")}
          label={t("The response")}
          options={[
            { value: "equals", label: t("is exactly these") },
            { value: "contains", label: t("contains these") },
          ]}
        />
        <Field
          {...field("nameServer")}
          label={t("Name server")}
          isOptional
          placeholder="192.0.2.53"
          help={t("Empty: that of this server.")}
        />
      </Grid>
    </>
  );
}

const INTERVALS = [20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 21_600, 43_200, 86_400];

function RhythmPanel(view: MonitorFormView) {
  const field = fieldFor(view);
  const hasCertificate = view.kind === "http" || view.kind === "tls";
  const chosen = Number(field("interval").value);
  const intervals = [...new Set([...INTERVALS, ...chosen >= 20 ? [chosen] : []])]
    .sort((a, b) => a - b);
  return (
    <Panel title={t("How often, and when to notify")} id="rhythm">
      <div class="space-y-4">
        <div class="level-fields grid gap-x-4 gap-y-4 sm:grid-cols-3 sm:gap-y-0">
          <Select
            {...field("interval")}
            label={t("Every@@interval")}
            options={intervals.map((seconds) => ({
              value: String(seconds),
              label: intervalWords(seconds),
            }))}
          />
          <Field
            {...field("timeout")}
            label={t("Time limit, s")}
            type="number"
            help={t("1 to 30.")}
          />
          <Field
            {...field("slow")}
            label={t("Slow from, ms")}
            type="number"
            isOptional
            help={t("Slow is shown, without notifications.")}
          />
        </div>
        <div class="level-fields grid gap-x-4 gap-y-4 sm:grid-cols-3 sm:gap-y-0">
          <Field
            {...field("tries")}
            label={t("Down after failures")}
            type="number"
            help={t("In a row, 10 s apart.")}
          />
          <Field
            {...field("recoveries")}
            label={t("Up after successes")}
            type="number"
            help={t("In a row, 10 s apart.")}
          />
          <Field
            {...field("certificateDays")}
            label={hasCertificate ? t("Certificate and domain warnings") : t("Domain warnings")}
            isOptional
            help={t("Days before their end; empty: none.")}
          />
        </div>
      </div>
    </Panel>
  );
}

function ChannelPanel({ project, params, errors, channels }: MonitorFormView) {
  return (
    <Panel title={t("Notifications")} id="channels">
      <ChannelChoice
        projectId={project.id}
        channels={channels}
        params={params}
        error={errors.channel}
        emptyText={t("There is no channel yet: without one there are no notifications.")}
        isUntitled
      />
    </Panel>
  );
}
