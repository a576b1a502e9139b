import { Field } from "../../ui/components/field.tsx";
import type { FormErrors } from "../../ui/components/form_summary.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { type Option, Select } from "../../ui/components/select.tsx";
import { FIELDS } from "./form_params.ts";
import { levelHelp } from "./level_input.ts";
import type { ValueKind } from "../values.ts";
import { COMPARISON_LABELS, minuteWords, NO_DATA_LABELS } from "../words.ts";

const WINDOWS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1_440];
const HOLDS = [0, 1, 2, 3, 5, 10, 15, 30, 60, 120];

export interface ConditionPanelProps {
  readonly params: URLSearchParams;
  readonly errors: FormErrors;
  /** Of the source that was chosen when the page was made; null while none is. */
  readonly valueKind: ValueKind | null;
}

/** When it fires: comparison and levels, over which time, for how long, and what silence means. */
export function ConditionPanel({ params, errors, valueKind }: ConditionPanelProps) {
  const text = (name: string) => params.get(name) ?? "";
  return (
    <Panel title="When it fires" id="alert-condition">
      <div class="space-y-4">
        <div data-for="levels" class="space-y-1">
          <div class="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-4">
            <Select
              name={FIELDS.comparison}
              label="The value is"
              value={text(FIELDS.comparison)}
              error={errors[FIELDS.comparison]}
              options={Object.entries(COMPARISON_LABELS).map(([value, label]) => ({
                value,
                label: `${label} (${value})`,
              }))}
            />
            <Field
              name={FIELDS.critical}
              label="Critical level"
              value={text(FIELDS.critical)}
              error={errors[FIELDS.critical]}
              autocomplete="off"
            />
            <Field
              name={FIELDS.warning}
              label="Warning level"
              isOptional
              value={text(FIELDS.warning)}
              error={errors[FIELDS.warning]}
              autocomplete="off"
            />
            <Field
              name={FIELDS.recovery}
              label="Recovery level"
              isOptional
              value={text(FIELDS.recovery)}
              error={errors[FIELDS.recovery]}
              autocomplete="off"
            />
          </div>
          <p class="text-sm text-muted">
            {valueKind !== null && `Levels: ${lowerFirst(levelHelp(valueKind))} `}
            Without a recovery level it is over once the value is back on the good side of the lower
            level.
          </p>
        </div>
        <div class="grid items-start gap-4 sm:grid-cols-3">
          <Select
            name={FIELDS.window}
            label="Over the last"
            value={text(FIELDS.window)}
            error={errors[FIELDS.window]}
            help="What one value is taken over."
            options={minuteOptions(WINDOWS, text(FIELDS.window))}
          />
          <div data-for="levels">
            <Select
              name={FIELDS.for}
              label="And has been for"
              value={text(FIELDS.for)}
              error={errors[FIELDS.for]}
              help="It is pending until then."
              options={minuteOptions(HOLDS, text(FIELDS.for))}
            />
          </div>
          <div data-for="levels">
            <Select
              name={FIELDS.noData}
              label="A window without data"
              value={text(FIELDS.noData)}
              error={errors[FIELDS.noData]}
              options={Object.entries(NO_DATA_LABELS).map(([value, label]) => ({ value, label }))}
            />
          </div>
        </div>
      </div>
    </Panel>
  );
}

/** The usual times, and the one that is chosen where it is none of them. */
function minuteOptions(usual: readonly number[], chosen: string): Option[] {
  const own = /^\d{1,5}$/.test(chosen) ? [Number(chosen)] : [];
  return [...new Set([...usual, ...own])].sort((a, b) => a - b).map((minutes) => ({
    value: String(minutes),
    label: minutes === 0 ? "no time: at once" : minuteWords(minutes),
  }));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
