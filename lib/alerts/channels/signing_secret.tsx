import { Alert } from "../../ui/components/alert.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { DsnField } from "../../projects/dsn_list.tsx";

/** A signing secret that was just made: shown this once. */
export function NewSigningSecret({ secret }: { readonly secret: string }) {
  return (
    <Alert kind="ok" title="The signing secret" isLive>
      <p class="mb-2">Copy it now: it is kept sealed and cannot be shown again.</p>
      <DsnField id="signing-secret" value={secret} what="signing secret" />
    </Alert>
  );
}

/** How a receiver checks that a request is ours, and a new secret for when the old one leaked. */
export function SignaturePanel({ mayWrite }: { readonly mayWrite: boolean }) {
  return (
    <Panel title="Signature" id="signature">
      <p class="max-w-3xl">
        The header <code>X-Watchpost-Signature</code> is{" "}
        <code>t=&lt;seconds&gt;,v1=&lt;hex&gt;</code>: HMAC-SHA256 of{" "}
        <code>t</code>, a dot and the body as it arrived, by the channel's secret. Refuse what is
        older than five minutes. <code>X-Watchpost-Delivery</code>{" "}
        is the same at every attempt, so that what came twice can be told.
      </p>
      {mayWrite && (
        <form method="post" class="mt-4">
          <Button name="action" value="renew">Make a new secret</Button>
          <p class="mt-1 text-sm text-muted">The old one signs nothing from then on.</p>
        </form>
      )}
    </Panel>
  );
}
