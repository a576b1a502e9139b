import type { Channel } from "../channels/channels.ts";
import { Field } from "../../ui/components/field.tsx";
import { fieldId } from "../../ui/components/field_frame.tsx";
import type { FormErrors } from "../../ui/components/form_summary.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { sectionPath } from "../../ui/links.ts";
import { FIELDS } from "./form_params.ts";
import { SuggestedField } from "../../ui/suggested_field.tsx";

export interface NoticePanelProps {
  readonly projectId: string;
  readonly params: URLSearchParams;
  readonly errors: FormErrors;
  readonly channels: readonly Channel[];
  /** What it is called when nobody names it. */
  readonly suggestedName: string;
}

/** From Monday on, as people's weeks begin. */
const DAYS = [
  ["1", "Mon"],
  ["2", "Tue"],
  ["3", "Wed"],
  ["4", "Thu"],
  ["5", "Fri"],
  ["6", "Sat"],
  ["0", "Sun"],
] as const;

/** Who is told, when, and under which name. */
export function NoticePanel(props: NoticePanelProps) {
  const { params, errors, suggestedName } = props;
  return (
    <Panel title="Who is told" id="alert-notices">
      <div class="space-y-4">
        <ChannelField {...props} />
        <ScheduleField {...props} />
        <Field
          name={FIELDS.name}
          label="Name of the alert"
          value={params.get(FIELDS.name) ?? ""}
          error={errors[FIELDS.name]}
          placeholder={suggestedName}
          help="Stands in every notice. Empty for what it watches."
          maxLength={100}
          autocomplete="off"
          isOptional
        />
      </div>
    </Panel>
  );
}

function ChannelField({ projectId, params, errors, channels }: NoticePanelProps) {
  const chosen = params.getAll(FIELDS.channel);
  const href = `${sectionPath(projectId, "settings")}/channels`;
  return (
    <fieldset id={fieldId(FIELDS.channel)}>
      <legend class="mb-1 font-medium">Channels</legend>
      {channels.length === 0
        ? <p class="text-muted">There are none yet: without one, only the history is kept.</p>
        : (
          <ul class="space-y-1">
            {channels.map(({ channelId, name, type, target }) => (
              <li key={channelId}>
                <label class="flex min-w-0 items-center gap-2">
                  <input
                    type="checkbox"
                    name={FIELDS.channel}
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
      <FieldError message={errors[FIELDS.channel]} />
      <p class="mt-1 text-sm">
        <a class="link" href={href}>
          {channels.length === 0 ? "Make a channel" : "Make or change channels"}
        </a>
        <span class="ml-1 text-muted">in the settings; this form is not kept.</span>
      </p>
    </fieldset>
  );
}

function ScheduleField({ params, errors }: NoticePanelProps) {
  const days = params.getAll(FIELDS.day);
  return (
    <fieldset class="space-y-3">
      <legend class="sr-only">Schedule</legend>
      <label class="flex items-start gap-2.5">
        <input
          type="checkbox"
          name={FIELDS.scheduled}
          checked={params.get(FIELDS.scheduled) === "on"}
          class="mt-1 size-4 shrink-0 accent-accent-fill"
        />
        <span>
          <span class="font-medium">Only at certain times</span>
          <span class="block text-sm text-muted">
            Outside them the states are kept, and nobody is told.
          </span>
        </span>
      </label>
      <div data-for="schedule" class="space-y-3 border-l-2 border-line pl-4">
        <div id={fieldId(FIELDS.day)} role="group" aria-label="Days">
          <div class="flex flex-wrap gap-x-4 gap-y-1">
            {DAYS.map(([value, label]) => (
              <label key={value} class="flex items-center gap-1.5">
                <input
                  type="checkbox"
                  name={FIELDS.day}
                  value={value}
                  checked={days.includes(value)}
                  class="size-4 accent-accent-fill"
                />
                {label}
              </label>
            ))}
          </div>
          <FieldError message={errors[FIELDS.day]} />
        </div>
        <div class="grid max-w-xl items-start gap-4 sm:grid-cols-[8rem_8rem_1fr]">
          <SuggestedField
            name={FIELDS.from}
            label="From"
            type="time"
            value={params.get(FIELDS.from) ?? ""}
            error={errors[FIELDS.from]}
          />
          <SuggestedField
            name={FIELDS.to}
            label="Until"
            type="time"
            value={params.get(FIELDS.to) ?? ""}
            error={errors[FIELDS.to]}
          />
          <SuggestedField
            name={FIELDS.timeZone}
            label="Time zone"
            value={params.get(FIELDS.timeZone) ?? ""}
            error={errors[FIELDS.timeZone]}
            suggestions={TIME_ZONES}
            placeholder="Europe/Berlin"
            maxLength={64}
          />
        </div>
        <p class="text-sm text-muted">
          An end that is not after the beginning is one of the day after; 00:00 is the end of the
          day.
        </p>
      </div>
    </fieldset>
  );
}

const TIME_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

function FieldError({ message }: { readonly message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p class="mt-1 flex items-start gap-1 text-sm text-danger">
      <Icon name="error" size={14} class="mt-[3px]" />
      {message}
    </p>
  );
}
