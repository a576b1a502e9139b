/** The maintenance windows of a monitor, and the forms to add one. */
import { DayChoice } from "@/lib/alerts/mod.ts";
import { Button } from "@/lib/ui/components/button.tsx";
import { Field, type FormErrors, FormSummary } from "@/lib/ui/components/fields.tsx";
import { Badge } from "@/lib/ui/components/badge.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { DISCLOSURE_LOOK } from "./parts.tsx";
import { isOver, type MaintenanceWindow, windowAt, windowWords } from "../windows.ts";
import { t } from "@/lib/core/language/translate.ts";

interface WindowPanelProps {
  readonly windows: readonly MaintenanceWindow[];
  readonly now: Date;
  readonly mayWrite: boolean;
  readonly errors: FormErrors;
  readonly params: URLSearchParams;
}

export function WindowPanel(props: WindowPanelProps) {
  const { windows, now, mayWrite, errors } = props;
  return (
    <Panel
      title={t("Maintenance windows")}
      id="windows"
      description={t(
        "Checks go on meanwhile, but without notifications, and the time is no downtime.",
      )}
    >
      <div class="space-y-4">
        {windows.length === 0
          ? <p class="text-muted">{t("There is none.")}</p>
          : (
            <ul class="space-y-2">
              {windows.map((window, place) => (
                <li key={place} class="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span class="tabular-nums">{windowWords(window)}</span>
                  {window.note !== "" && (
                    <bdi class="min-w-0 wrap-anywhere text-muted">{window.note}</bdi>
                  )}
                  {windowAt([window], now) !== null && (
                    <Badge tone="info" icon="clock">{t("now")}</Badge>
                  )}
                  {isOver(window, now) && <Badge icon="check">{t("over")}</Badge>}
                  {mayWrite && (
                    <form method="post">
                      <input type="hidden" name="window" value={String(place)} />
                      <Button size="sm" kind="plain" name="action" value="remove_window">
                        {t("Remove")}
                      </Button>
                    </form>
                  )}
                </li>
              ))}
            </ul>
          )}
        {mayWrite && (
          <>
            <FormSummary errors={errors} idPrefix="window-" />
            <OnceForm {...props} />
            <WeeklyForm {...props} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** What was entered in a form of this kind, and what is wrong with it. */
function fieldsOf({ params, errors }: WindowPanelProps, kind: string) {
  const isMeant = params.get("window_kind") === kind;
  return (name: string) => ({
    name,
    idPrefix: isMeant ? "window-" : `window-${kind}-`,
    value: isMeant ? params.get(name) ?? "" : "",
    error: isMeant ? errors[name] : undefined,
  });
}

function OnceForm(props: WindowPanelProps) {
  const field = fieldsOf(props, "once");
  return (
    <details open={props.params.get("window_kind") === "once"}>
      <summary class={DISCLOSURE_LOOK}>{t("Add a single window")}</summary>
      <form method="post" class="mt-3 max-w-2xl space-y-3">
        <input type="hidden" name="window_kind" value="once" />
        <div class="grid items-start gap-3 sm:grid-cols-2">
          <Field {...field("start")} label={t("From (UTC)")} type="datetime-local" required />
          <Field {...field("end")} label={t("Until (UTC)")} type="datetime-local" required />
        </div>
        <Field {...field("note")} label={t("Note")} isOptional maxLength={200} />
        <Button name="action" value="add_window">{t("Add window")}</Button>
      </form>
    </details>
  );
}

function WeeklyForm(props: WindowPanelProps) {
  const field = fieldsOf(props, "weekly");
  const isMeant = props.params.get("window_kind") === "weekly";
  const chosen = isMeant ? props.params.getAll("day") : [];
  return (
    <details open={isMeant}>
      <summary class={DISCLOSURE_LOOK}>{t("Add a weekly window")}</summary>
      <form method="post" class="mt-3 max-w-2xl space-y-3">
        <input type="hidden" name="window_kind" value="weekly" />
        <DayChoice chosen={chosen} />
        <div class="grid items-start gap-3 sm:grid-cols-3">
          <Field {...field("from")} label={t("From")} placeholder="22:00" required />
          <Field {...field("to")} label={t("Until")} placeholder="23:30" required />
          <Field
            {...field("timeZone")}
            label={t("Time zone")}
            placeholder="Europe/Berlin"
            required
          />
        </div>
        <Field {...field("note")} label={t("Note")} isOptional maxLength={200} />
        <p class="text-sm text-muted">
          {t("An end that is not after the beginning is one of the day after.")}
        </p>
        <Button name="action" value="add_window">{t("Add window")}</Button>
      </form>
    </details>
  );
}
