import { ALL_VALUES, parameterOf } from "./variables.ts";
import { Button } from "../ui/components/button.tsx";
import { fieldId } from "../ui/components/field_frame.tsx";
import { Select } from "../ui/components/select.tsx";
import { scopeParams } from "../ui/scope.ts";
import { type DashboardView, keptBy, pathOf } from "./dashboard_view.ts";

/** The variables of a dashboard with the values that are there. */
export function VariableBar(view: DashboardView) {
  const { dashboard: { content: { variables } }, tracing: { scope }, choices, values } = view;
  if (variables.length === 0) return null;
  const names = new Set(variables.map(({ label }) => parameterOf(label)));
  const kept = Object.entries(keptBy(view)).filter(([name]) => !names.has(name));
  return (
    <form action={pathOf(view)} class="mb-4 flex flex-wrap items-end gap-x-3 gap-y-2">
      {[...scopeParams(scope), ...kept].map(([name, value], index) => (
        <input key={index} type="hidden" name={name} value={value} />
      ))}
      {variables.map(({ label }) => {
        const chosen = choices.get(label) ?? "";
        const found = values.get(label) ?? [];
        const listed = chosen === "" || found.includes(chosen) ? found : [chosen, ...found];
        return (
          <div key={label} class="min-w-36">
            <label for={fieldId(parameterOf(label))} class="block text-meta text-muted">
              {label}
            </label>
            <Select
              name={parameterOf(label)}
              size="sm"
              value={chosen === "" ? ALL_VALUES : chosen}
              options={[
                { value: ALL_VALUES, label: "All" },
                ...listed.map((value) => ({ value, label: value })),
              ]}
            />
          </div>
        );
      })}
      <Button size="sm">Apply</Button>
    </form>
  );
}
