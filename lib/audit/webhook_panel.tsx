/** The form of an organization's audit webhook, and how it is doing. */
import { t } from "../core/language/translate.ts";
import { Button, CopyField } from "../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../ui/components/fields.tsx";
import { Alert, Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import type { AuditWebhook } from "./webhook.ts";

export interface WebhookView {
  readonly webhook: AuditWebhook | null;
  /** The secret just made; shown this once. */
  readonly secret: string | null;
  readonly url: string;
  readonly errors: FormErrors;
}

/** Shown to those who may change the organization. */
export function WebhookPanel({ webhook, secret, url, errors }: WebhookView) {
  return (
    <Panel
      title={t("Webhook")}
      id="webhook"
      description={t(
        "Every new entry is posted as signed JSON, in order and at least once, for a SIEM or an archive of your own.",
      )}
    >
      <div class="max-w-2xl space-y-4">
        {secret && (
          <Alert kind="ok" title={t("The webhook is set")} isLive>
            <p class="mb-2">{t("Copy the secret that signs it now: it cannot be shown again.")}</p>
            <CopyField id="audit-secret" value={secret} what={t("Secret")} />
          </Alert>
        )}
        {webhook && <State webhook={webhook} />}
        <form method="post" class="space-y-4">
          <FormSummary errors={errors} />
          <Field
            name="url"
            label={webhook ? t("Another address") : t("Address")}
            type="url"
            value={url}
            error={errors.url}
            placeholder="https://siem.example.com/watchpost"
            help={t("It has ten seconds to answer with 2xx; anything else is tried again.")}
            autocomplete="off"
            required
          />
          <Button kind="primary" name="action" value="set">
            {webhook ? t("Change") : t("Set the webhook")}
          </Button>
        </form>
        {webhook && (
          <form method="post">
            <Button kind="danger" name="action" value="remove">{t("Remove the webhook")}</Button>
          </form>
        )}
      </div>
    </Panel>
  );
}

function State({ webhook }: { readonly webhook: AuditWebhook }) {
  const { target, waiting, deliveredAt, lastError, failedAt } = webhook;
  return (
    <>
      {lastError !== "" && (
        <Alert kind="warning" title={t("The last attempt failed")}>
          {lastError} <RelativeTime date={failedAt} />
        </Alert>
      )}
      <dl class="grid gap-x-6 gap-y-1 sm:grid-cols-[10rem_1fr]">
        <dt class="text-muted">{t("Address")}</dt>
        <dd class="wrap-anywhere">
          <code>{target}</code>
        </dd>
        <dt class="text-muted">{t("Waiting")}</dt>
        <dd>{t("{n} entry|{n} entries", { n: waiting })}</dd>
        <dt class="text-muted">{t("Last delivery")}</dt>
        <dd>
          <RelativeTime date={deliveredAt} />
        </dd>
      </dl>
    </>
  );
}
