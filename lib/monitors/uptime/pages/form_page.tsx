/** The form for a new uptime monitor, or to change one; a check can be tried before it is saved. */
import type { ComponentChildren } from "preact";
import type { Project } from "@/lib/accounts/projects.ts";
import type { Channel } from "@/lib/alerts/mod.ts";
import { Button, LinkButton } from "@/lib/ui/components/button.tsx";
import {
  Checkbox,
  Field,
  fieldId,
  FormSummary,
  type Option,
  Select,
} from "@/lib/ui/components/fields.tsx";
import { Page, PageHeader, Tabs } from "@/lib/ui/components/page.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import {
  channelsPath,
  monitorPath,
  monitorsPath,
  newMonitorPath,
  sectionPath,
} from "@/lib/ui/links.ts";
import type { Shell } from "@/lib/ui/shell.ts";
import type { ProbeResult } from "../../probes/probe.ts";
import { COMPARISONS, METHODS, RECORD_TYPES } from "../../probes/target.ts";
import { KIND_LABELS, type Monitor } from "../monitor.ts";
import type { ReadMonitorForm, TargetKind } from "./form_params.ts";
import { DISCLOSURE_LOOK, intervalWords } from "./parts.tsx";
import { TryPanel } from "./try_panel.tsx";

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
        { label: "Monitors", href: monitorsPath(project.id) },
        ...own,
        { label: monitor === null ? "New monitor" : "Edit" },
      ]}
    >
      <div class="max-w-4xl">
        <PageHeader title={monitor === null ? "New monitor" : `Edit ${monitor.name}`} />
        {monitor === null && (
          <div class="mb-4">
            <Tabs
              label="What is checked"
              tabs={(Object.keys(KIND_LABELS) as TargetKind[]).map((each) => ({
                href: `${newMonitorPath(project.id)}?kind=${each}`,
                label: KIND_LABELS[each],
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
          {monitor === null ? "Make monitor" : "Save"}
        </Button>
        <Button name="action" value="try">Try now</Button>
        <LinkButton kind="plain" href={back}>Cancel</LinkButton>
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
    <Panel title="What is checked" id="target">
      <div class="space-y-4">
        <Field
          {...field("name")}
          label="Name"
          placeholder="Shop, front page"
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
const FAMILY_OPTIONS: readonly Option[] = [
  { value: "any", label: "IPv4 or IPv6" },
  { value: "4", label: "IPv4 only" },
  { value: "6", label: "IPv6 only" },
];

function HttpFields(view: MonitorFormView) {
  const field = fieldFor(view);
  const isOn = (name: string) => view.params.get(name) === "on";
  return (
    <>
      <div class="grid items-start gap-4 sm:grid-cols-[8rem_1fr]">
        <Select {...field("method")} label="Method" options={options(METHODS)} />
        <Field
          {...field("url")}
          label="Address"
          type="url"
          placeholder="https://shop.example.com/"
          required
        />
      </div>
      <Grid>
        <Field
          {...field("expectedStatus")}
          label="Expected status"
          help="Statuses and ranges, as 200-299,301."
        />
        <Field {...field("keyword")} label="Text in the answer" isOptional />
      </Grid>
      <Checkbox
        name="keywordAbsent"
        label="The text must not be there"
        isChecked={isOn("keywordAbsent")}
      />
      <details
        open={["headers", "body", "user", "password", "jsonPath", "jsonValue"].some((name) =>
          view.params.get(name) || view.errors[name]
        )}
      >
        <summary class={DISCLOSURE_LOOK}>Request, sign-in and JSON</summary>
        <div class="mt-3 space-y-4">
          <Field
            {...field("headers")}
            label="Headers"
            isOptional
            rows={3}
            mono
            placeholder="Authorization: Bearer …"
            help="One a line. Values are sealed and not shown again; asterisks keep what is stored."
          />
          <Field {...field("body")} label="Body" isOptional rows={3} mono />
          <Grid>
            <Field {...field("user")} label="User name" isOptional autocomplete="off" />
            <Field
              {...field("password")}
              label="Password"
              type="password"
              isOptional
              autocomplete="new-password"
            />
          </Grid>
          <div class="grid items-start gap-4 sm:grid-cols-[1fr_8rem_1fr]">
            <Field
              {...field("jsonPath")}
              label="JSON path"
              isOptional
              placeholder="data.status"
              mono
            />
            <Select
              {...field("jsonComparison")}
              label="Comparison"
              options={options(COMPARISONS)}
            />
            <Field {...field("jsonValue")} label="Value" isOptional mono />
          </div>
        </div>
      </details>
      <details open={["ignoresTls", "allowsDowngrade", "http2"].some(isOn)}>
        <summary class={DISCLOSURE_LOOK}>Redirects, TLS and network</summary>
        <div class="mt-3 space-y-4">
          <Grid>
            <Field
              {...field("maxRedirects")}
              label="Redirects followed"
              type="number"
              help="0: a redirect is an answer like any other."
            />
            <Select {...field("family")} label="Addresses" options={FAMILY_OPTIONS} />
          </Grid>
          <Checkbox
            name="allowsDowngrade"
            label="Follow redirects from https to http"
            isChecked={isOn("allowsDowngrade")}
          />
          <Checkbox
            name="ignoresTls"
            label="Ignore what is wrong with the certificate"
            help="Headers and password go to whoever answers then."
            isChecked={isOn("ignoresTls")}
          />
          <Checkbox
            name="http2"
            label="Speak HTTP/2 where it is offered"
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
        <Field {...field("host")} label="Host" placeholder="db.example.com" required />
        {view.kind !== "ping" && (
          <Field {...field("port")} label="Port" type="number" placeholder="443" required />
        )}
        {view.kind === "tls" && (
          <Field
            {...field("servername")}
            label="Name in the certificate"
            isOptional
            help="When it is another than the host."
          />
        )}
        <Select {...field("family")} label="Addresses" options={FAMILY_OPTIONS} />
      </Grid>
      {view.kind === "ping" && (
        <p class="text-sm text-muted">
          Needs the program <code>ping</code> on the server; try it before you save.
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
        <Field {...field("dnsName")} label="Domain name" placeholder="example.com" required />
        <Select {...field("recordType")} label="Record" options={options(RECORD_TYPES)} />
      </div>
      <Field
        {...field("expected")}
        label="Expected records"
        isOptional
        rows={3}
        mono
        help="One a line; empty: any record will do."
      />
      <Grid>
        <Select
          {...field("match")}
          label="The answer"
          options={[
            { value: "equals", label: "is exactly these" },
            { value: "contains", label: "contains these" },
          ]}
        />
        <Field
          {...field("nameServer")}
          label="Name server"
          isOptional
          placeholder="192.0.2.53"
          help="Empty: that of this server."
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
    <Panel title="How often, and when somebody is told" id="rhythm">
      <div class="space-y-4">
        <div class="grid items-start gap-4 sm:grid-cols-3">
          <Select
            {...field("interval")}
            label="Every"
            options={intervals.map((seconds) => ({
              value: String(seconds),
              label: intervalWords(seconds),
            }))}
          />
          <Field {...field("timeout")} label="Time limit, s" type="number" help="1 to 30." />
          <Field
            {...field("slow")}
            label="Slow from, ms"
            type="number"
            isOptional
            help="Slow is shown, and told to nobody."
          />
        </div>
        <div class="grid items-start gap-4 sm:grid-cols-3">
          <Field
            {...field("tries")}
            label="Down after failures"
            type="number"
            help="In a row, 10 s apart."
          />
          <Field
            {...field("recoveries")}
            label="Up after successes"
            type="number"
            help="In a row, 10 s apart."
          />
          <Field
            {...field("certificateDays")}
            label={hasCertificate ? "Certificate and domain warnings" : "Domain warnings"}
            isOptional
            help="Days before their end; empty: none."
          />
        </div>
      </div>
    </Panel>
  );
}

function ChannelPanel({ project, params, errors, channels }: MonitorFormView) {
  const chosen = params.getAll("channel");
  return (
    <Panel title="Who is told" id="channels">
      <fieldset id={fieldId("channel")}>
        <legend class="sr-only">Channels</legend>
        {channels.length === 0
          ? <p class="text-muted">There is no channel yet: without one nobody is told.</p>
          : (
            <ul class="space-y-1">
              {channels.map(({ channelId, name, type, target }) => (
                <li key={channelId}>
                  <label class="flex min-w-0 items-center gap-2">
                    <input
                      type="checkbox"
                      name="channel"
                      value={channelId}
                      checked={chosen.includes(channelId)}
                      class="size-4 shrink-0 accent-accent-fill"
                    />
                    <bdi class="min-w-0 truncate">{name}</bdi>
                    <span class="min-w-0 truncate text-sm text-muted">{`${type}, ${target}`}</span>
                  </label>
                </li>
              ))}
            </ul>
          )}
        {errors.channel && <p class="mt-1 text-sm text-danger">{errors.channel}</p>}
        <p class="mt-1 text-sm">
          <a class="link" href={channelsPath(project.id)}>
            {channels.length === 0 ? "Make a channel" : "Make or change channels"}
          </a>
          <span class="ml-1 text-muted">in the settings; this form is not kept.</span>
        </p>
      </fieldset>
    </Panel>
  );
}
