/** What one check has seen: status, timing, certificate, headers, the beginning of the body. */
import type { ComponentChildren } from "preact";
import { Alert, Panel } from "@/lib/ui/components/panel.tsx";
import { classes } from "@/lib/ui/components/icon.tsx";
import { CodeBlock } from "@/lib/ui/components/code_block.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import { ValueTable } from "@/lib/ui/value_table.tsx";
import { formatDuration, NONE } from "@/lib/ui/format.ts";
import type { Phases, ProbeResult } from "../../probes/probe.ts";
import { type Evidence, evidenceOf } from "../incidents.ts";
import { daysUntil, type SeenCertificate } from "../monitor.ts";
import { DISCLOSURE_LOOK } from "./parts.tsx";

export const PHASE_LABELS: Readonly<Record<keyof Phases, string>> = {
  dns: "DNS",
  connect: "Connect",
  tls: "TLS",
  firstByte: "First byte",
  download: "Download",
};

/** The result of a check that somebody has just tried. */
export function TryPanel({ result }: { readonly result: ProbeResult }) {
  const { state, problem } = result;
  return (
    <Panel title="Result of the try" id="try">
      <div class="space-y-4">
        {state === "up"
          ? <Alert kind="ok" title="It is up" isLive>The check succeeded.</Alert>
          : (
            <Alert
              kind={state === "down" ? "danger" : "warning"}
              title={state === "down" ? "The check failed" : "It is slow"}
              isLive
            >
              {problem?.sentence}
            </Alert>
          )}
        <Seen evidence={evidenceOf(result, (text) => text)} />
      </div>
    </Panel>
  );
}

/** Everything that a check has seen. */
export function Seen({ evidence }: { readonly evidence: Evidence }) {
  const { status, address, durationMs, phases, headers, body, redirects, certificate } = evidence;
  return (
    <div class="space-y-4">
      <dl class="grid gap-x-6 gap-y-1 sm:grid-cols-2">
        <Fact label="Status">{status ?? NONE}</Fact>
        <Fact label="Address">{address ?? NONE}</Fact>
        <Fact label="Total">{formatDuration(durationMs)}</Fact>
        {(Object.keys(PHASE_LABELS) as (keyof Phases)[]).map((phase) => (
          <Fact key={phase} label={PHASE_LABELS[phase]}>{formatDuration(phases[phase])}</Fact>
        ))}
      </dl>
      {redirects.length > 0 && (
        <div>
          <h3 class="font-medium">Redirects</h3>
          <ol class="list-decimal pl-5">
            {redirects.map((to, place) => <li key={place} class="wrap-anywhere">{to}</li>)}
          </ol>
        </div>
      )}
      {certificate !== null && <CertificateFacts certificate={certificate} />}
      {headers.length > 0 && (
        <details>
          <summary class={DISCLOSURE_LOOK}>{`Headers of the answer (${headers.length})`}</summary>
          <div class="mt-2">
            <ValueTable entries={headers} label="Headers of the answer" />
          </div>
        </details>
      )}
      {body !== "" && (
        <details>
          <summary class={DISCLOSURE_LOOK}>Beginning of the body</summary>
          <div class="mt-2">
            <CodeBlock id="seen-body" code={body} label="Body of the answer" maxHeight="lg" />
          </div>
        </details>
      )}
    </div>
  );
}

/** A certificate in words. */
export function CertificateFacts({ certificate, isNarrow = false }: {
  readonly certificate: SeenCertificate;
  /** In one column. @default false */
  readonly isNarrow?: boolean;
}) {
  const { subject, issuer, names, validFrom, validTo, daysLeft, fingerprint, protocol, problem } =
    certificate;
  return (
    <div class="space-y-2">
      {problem !== null && (
        <Alert kind="warning" title="Clients would not trust it">{problem}</Alert>
      )}
      <dl class={classes("grid gap-x-6 gap-y-1", !isNarrow && "sm:grid-cols-2")}>
        <Fact label="Subject">{subject || NONE}</Fact>
        <Fact label="Issuer">{issuer || NONE}</Fact>
        <Fact label="Valid">{`${validFrom.slice(0, 10)} – ${validTo.slice(0, 10)}`}</Fact>
        <Fact label="Days left">{daysLeft < 0 ? "expired" : String(daysLeft)}</Fact>
        <Fact label="Names">{names.slice(0, 10).join(", ") || NONE}</Fact>
        <Fact label="Protocol">{protocol || NONE}</Fact>
        <Fact label="Fingerprint">
          <code class="text-meta wrap-anywhere">{fingerprint}</code>
        </Fact>
      </dl>
    </div>
  );
}

/** The registration of a domain in words. */
export function DomainFacts({ domain, endsAt, now }: {
  readonly domain: string;
  readonly endsAt: Date;
  readonly now: Date;
}) {
  const daysLeft = daysUntil(endsAt, now);
  return (
    <dl class="space-y-1">
      <Fact label="Name">
        <bdi>{domain}</bdi>
      </Fact>
      <Fact label="Registered until">
        <ExactTime date={endsAt} />
      </Fact>
      <Fact label="Days left">{daysLeft < 0 ? "ended" : String(daysLeft)}</Fact>
    </dl>
  );
}

export function Fact(
  { label, children }: { readonly label: string; readonly children: ComponentChildren },
) {
  return (
    <div class="grid grid-cols-[7rem_minmax(0,1fr)] gap-2">
      <dt class="text-muted">{label}</dt>
      <dd class="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}
