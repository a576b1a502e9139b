import { Button, LinkButton } from "../../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import type { Connection } from "./connections.ts";
import type { Draft } from "./tracker.ts";
import { TRACKER_KINDS } from "./tracker_types.ts";
import { t } from "../../core/language/translate.ts";

interface CreateFormProps {
  readonly connection: Connection;
  readonly draft: Draft;
  readonly errors: FormErrors;
  /** Sent twice, the form makes one issue. */
  readonly onceId: string;
  /** The issue here. */
  readonly back: string;
}

/** An issue of a tracker before it is made: everything can be changed. */
export function CreateRemoteForm({ connection, draft, errors, onceId, back }: CreateFormProps) {
  const { type, settings, name, connectionId } = connection;
  const kind = TRACKER_KINDS[type];
  const takes = kind.api?.takes ?? { labels: false, assignee: false };
  return (
    <Panel title={t("New issue in {name}", { name })} description={kind.placeOf(settings)}>
      <form method="post" class="max-w-3xl space-y-4">
        <FormSummary errors={errors} />
        <input type="hidden" name="tracker" value={connectionId} />
        <input type="hidden" name="once" value={onceId} />
        <Field name="title" label={t("Title")} value={draft.title} error={errors.title} required />
        <Field
          name="body"
          label={t("Text")}
          value={draft.body}
          error={errors.body}
          rows={16}
          mono
        />
        {takes.labels && (
          <Field
            name="labels"
            label={t("Labels")}
            value={draft.labels.join(", ")}
            help={t("With commas between.")}
            error={errors.labels}
            isOptional
          />
        )}
        {takes.assignee && (
          <Field
            name="assignee"
            label={t("Assignee")}
            value={draft.assignee}
            help={t("The name of a user there.")}
            error={errors.assignee}
            isOptional
          />
        )}
        <div class="flex flex-wrap gap-2">
          <Button kind="primary" name="action" value="create">
            {t("Create in {name}", { name })}
          </Button>
          <LinkButton href={back}>{t("Cancel")}</LinkButton>
        </div>
      </form>
    </Panel>
  );
}
