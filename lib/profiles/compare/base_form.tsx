import type { ProfiledVersion } from "../queries/versions.ts";
import { Button } from "../../ui/components/button.tsx";
import { Field } from "../../ui/components/field.tsx";
import { Select } from "../../ui/components/select.tsx";
import { HiddenParams } from "../hidden_params.tsx";
import type { Params } from "../params.ts";
import type { End } from "./ends.ts";

export interface BaseFormProps {
  /** Of the page. */
  readonly path: string;
  /** Parameters of the page but those of this end. */
  readonly hidden: Params;
  /** What is compared with. */
  readonly before: End;
  readonly versions: readonly ProfiledVersion[];
}

/** Chooses the end that the page is compared with: its time, its environment, its release. */
export function BaseForm({ path, hidden, before, versions }: BaseFormProps) {
  const { scope, interval } = before;
  const options = (all: string, field: "release" | "environment", chosen: readonly string[]) => {
    const known = versions.map((version) => version[field]).filter((each) => each !== "");
    const names = [...new Set([...chosen, ...known])];
    return [{ value: "", label: all }, ...names.map((name) => ({ value: name, label: name }))];
  };
  return (
    <form
      method="get"
      action={path}
      aria-label="What is compared with"
      class="grid items-end gap-3 sm:grid-cols-2 xl:grid-cols-[1fr_1fr_1fr_1fr_auto]"
    >
      <HiddenParams params={[...hidden, ["base", "custom"]]} />
      <Field
        name="base_start"
        label="From (UTC)"
        type="datetime-local"
        value={fieldTime(interval.start)}
        required
      />
      <Field
        name="base_end"
        label="To (UTC)"
        type="datetime-local"
        value={fieldTime(interval.end)}
        required
      />
      <Select
        name="base_release"
        label="Release"
        options={options("All releases", "release", scope.releases)}
        value={scope.releases[0] ?? ""}
      />
      <Select
        name="base_environment"
        label="Environment"
        options={options("All environments", "environment", scope.environments)}
        value={scope.environments[0] ?? ""}
      />
      <Button>Compare</Button>
    </form>
  );
}

/** As `<input type=datetime-local>` takes it. */
function fieldTime(date: Date): string {
  return date.toISOString().slice(0, 16);
}
