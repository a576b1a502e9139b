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
import { probeWords } from "../../probes/problem_words.ts";
import { type Message, message, t } from "@/lib/core/language/translate.ts";

export const PHASE_LABELS: Readonly<Record<keyof Phases, Message>> = {
  dns: message("DNS"),
  connect: message("Connect"),
  tls: message("TLS"),
  firstByte: message("First byte"),
  download: message("Download@@phase"),
};

/** The result of a check that somebody has just tried. */
export function TryPanel({ result }: { readonly result: ProbeResult }) {
  const { state, problem } = result;
  return (
    <Panel title={t("Result of the try")} id="try">
      <div class="space-y-4">
        {state === "up"
          ? <Alert kind="ok" title={t("It is up")} isLive>{t("The check succeeded.")}</Alert>
          : (
            <Alert
              kind={state === "down" ? "danger" : "warning"}
              title={state === "down" ? t("The check failed") : t("It is slow")}
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
        <Fact label={t("Status")}>{status ?? NONE}</Fact>
        <Fact label={t("Address")}>{address ?? NONE}</Fact>
        <Fact label={t("Total")}>{formatDuration(durationMs)}</Fact>
        {(Object.keys(PHASE_LABELS) as (keyof Phases)[]).map((phase) => (
          <Fact key={phase} label={t(PHASE_LABELS[phase])}>{formatDuration(phases[phase])}</Fact>
        ))}
      </dl>
      {redirects.length > 0 && (
        <div>
          <h3 class="font-medium">{t("Redirects")}</h3>
          <ol class="list-decimal pl-5">
            {redirects.map((to, place) => <li key={place} class="wrap-anywhere">{to}</li>)}
          </ol>
        </div>
      )}
      {certificate !== null && <CertificateFacts certificate={certificate} />}
      {headers.length > 0 && (
        <details>
          <summary class={DISCLOSURE_LOOK}>
            {t("Headers of the response ({n})", { n: headers.length })}
          </summary>
          <div class="mt-2">
            <ValueTable entries={headers} label={t("Headers of the response")} />
          </div>
        </details>
      )}
      {body !== "" && (
        <details>
          <summary class={DISCLOSURE_LOOK}>{t("Beginning of the body")}</summary>
          <div class="mt-2">
            <CodeBlock
              id="seen-body"
              code={body}
              label={t("Body of the response")}
              maxHeight="lg"
            />
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
        <Alert kind="warning" title={t("Clients would not trust it")}>{probeWords(problem)}</Alert>
      )}
      <dl class={classes("grid gap-x-6 gap-y-1", !isNarrow && "sm:grid-cols-2")}>
        <Fact label={t("Subject")}>{subject || NONE}</Fact>
        <Fact label={t("Issuer")}>{issuer || NONE}</Fact>
        <Fact label={t("Valid")}>{`${validFrom.slice(0, 10)} – ${validTo.slice(0, 10)}`}</Fact>
        <Fact label={t("Days left")}>{daysLeft < 0 ? t("expired") : String(daysLeft)}</Fact>
        <Fact label={t("Names")}>{names.slice(0, 10).join(", ") || NONE}</Fact>
        <Fact label={t("Protocol")}>{protocol || NONE}</Fact>
        <Fact label={t("Fingerprint")}>
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
      <Fact label={t("Name@@thing")}>
        <bdi>{domain}</bdi>
      </Fact>
      <Fact label={t("Registered until")}>
        <ExactTime date={endsAt} />
      </Fact>
      <Fact label={t("Days left")}>{daysLeft < 0 ? t("ended") : String(daysLeft)}</Fact>
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
