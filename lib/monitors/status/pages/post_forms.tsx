/** Writing on a status page: a new incident or maintenance, and further updates. */
import { type Message, message, rich, t } from "@/lib/core/language/translate.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import {
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "@/lib/ui/components/fields.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { ExactTime } from "@/lib/ui/components/values.tsx";
import {
  type Impact,
  INCIDENT_STATES,
  MAX_TEXT,
  MAX_TITLE,
  type PostState,
  stateWords,
  type StatusPost,
} from "../posts.ts";
import { entryKey, type StatusPage } from "../status_page.ts";
import { TellChoice } from "./settings_forms.tsx";

const IMPACT_LABELS: Readonly<Record<Impact, Message>> = {
  none: message("None: for information"),
  degraded: message("Slow or restricted"),
  partial: message("Partly down"),
  down: message("Down"),
};

export interface NewPostData {
  readonly kind: StatusPost["kind"];
  readonly page: StatusPage;
  readonly hasMail: boolean;
  /** What was entered, to be corrected. */
  readonly values: Readonly<Record<string, string>>;
  /** Keys of the chosen monitors. */
  readonly chosen: readonly string[];
  readonly errors: FormErrors;
}

export function NewPostForm({ kind, page, hasMail, values, chosen, errors }: NewPostData) {
  return (
    <Panel title={kind === "incident" ? t("Open an incident") : t("Plan maintenance")}>
      <form method="post" class="max-w-2xl space-y-4">
        <FormSummary errors={errors} />
        <input type="hidden" name="kind" value={kind} />
        <Field
          name="title"
          label={t("Title")}
          value={values.title ?? ""}
          error={errors.title}
          maxLength={MAX_TITLE}
          placeholder={kind === "incident"
            ? t("Checkout fails for some")
            : t("Move to new machines")}
          required
        />
        {kind === "incident"
          ? (
            <div class="grid gap-4 sm:grid-cols-2">
              <Select
                name="impact"
                label={t("Impact")}
                value={values.impact ?? "partial"}
                options={Object.entries(IMPACT_LABELS).map(([value, label]) => ({
                  value,
                  label: t(label),
                }))}
              />
              <StateChoice kind={kind} state="investigating" entered={values.state} />
            </div>
          )
          : (
            <div class="grid gap-4 sm:grid-cols-2">
              <Field
                name="startsAt"
                type="datetime-local"
                label={t("Begins")}
                help={t("In UTC.")}
                value={values.startsAt ?? ""}
                error={errors.startsAt}
                required
              />
              <Field
                name="endsAt"
                type="datetime-local"
                label={t("Ends")}
                help={t("In UTC.")}
                value={values.endsAt ?? ""}
                error={errors.endsAt}
                required
              />
            </div>
          )}
        {page.entries.length > 0 && (
          <fieldset>
            <legend class="mb-1 font-medium">{t("Monitors that it is about")}</legend>
            <ul class="max-h-60 space-y-1 overflow-y-auto">
              {page.entries.map((entry) => (
                <li key={entry.badge}>
                  <label class="flex items-start gap-2.5">
                    <input
                      type="checkbox"
                      name="entries"
                      value={entryKey(entry)}
                      checked={chosen.includes(entryKey(entry))}
                      class="mt-1"
                    />
                    <span class="min-w-0 wrap-anywhere">
                      {`${entry.name} `}
                      {entry.group !== "" && <span class="text-muted">· {entry.group}</span>}
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          </fieldset>
        )}
        <TextField value={values.text ?? ""} error={errors.text} />
        <TellChoice hasMail={hasMail} />
        <Button kind="primary">
          {kind === "incident" ? t("Publish incident") : t("Publish maintenance")}
        </Button>
      </form>
    </Panel>
  );
}

export interface PostData {
  readonly post: StatusPost;
  readonly hasMail: boolean;
  readonly mayPost: boolean;
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FormErrors;
}

/** A post with its updates, newest first, and the form of the next. */
export function PostPanels({ post, hasMail, mayPost, values, errors }: PostData) {
  const { kind, title, startsAt, endsAt, updates } = post;
  return (
    <>
      {mayPost && (
        <Panel title={t("Write an update")}>
          <form method="post" class="max-w-2xl space-y-4">
            <FormSummary errors={errors} />
            <StateChoice kind={kind} state={post.state} entered={values.state} />
            <TextField value={values.text ?? ""} error={errors.text} />
            <TellChoice hasMail={hasMail} />
            <Button name="action" value="update" kind="primary">{t("Publish update")}</Button>
          </form>
        </Panel>
      )}
      <Panel title={title}>
        <p class="text-sm text-muted">
          {endsAt === null
            ? rich("Since {time}", { time: <ExactTime date={startsAt} /> })
            : rich("Planned from {start} to {end}", {
              start: <ExactTime date={startsAt} />,
              end: <ExactTime date={endsAt} />,
            })}
        </p>
        <ol class="mt-3 space-y-3">
          {updates.toReversed().map((update) => (
            <li key={update.updateId} class="border-l-2 border-line pl-3">
              <p class="text-sm text-muted">
                <span class="font-medium">{stateWords(update.state)}</span> ·{" "}
                <ExactTime date={update.at} /> · {update.by}
              </p>
              <p class="whitespace-pre-line wrap-anywhere">{update.text}</p>
            </li>
          ))}
        </ol>
      </Panel>
      {mayPost && (
        <Panel title={t("Delete")} danger>
          <ConfirmByName
            name="delete"
            action={kind === "incident" ? t("Delete incident") : t("Delete maintenance")}
            consequence={t(
              "It leaves the page and the feed as if it had never been. To say that it is over, write an update.",
            )}
            idPrefix="delete-"
            fields={{ action: "delete" }}
            error={errors.confirm}
          />
        </Panel>
      )}
    </>
  );
}

function StateChoice({ kind, state, entered }: {
  readonly kind: StatusPost["kind"];
  readonly state: PostState;
  readonly entered: string | undefined;
}) {
  const states: readonly PostState[] = kind === "incident"
    ? INCIDENT_STATES
    : ["planned", "completed"];
  return (
    <Select
      name="state"
      label={t("State")}
      value={entered ?? state}
      options={states.map((value) => ({ value, label: stateWords(value) }))}
    />
  );
}

function TextField(
  { value, error }: { readonly value: string; readonly error?: string | undefined },
) {
  return (
    <Field
      name="text"
      label={t("What people should know")}
      value={value}
      error={error}
      rows={5}
      maxLength={MAX_TEXT}
      help={t("Plain text; lines are kept. Everybody who sees the page reads it.")}
      required
    />
  );
}
