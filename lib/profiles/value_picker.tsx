import type { ProfiledService } from "./queries/services.ts";
import { ChoiceLinks } from "../ui/choice_links.tsx";
import { type ProfileValueChoice, valueId } from "./params.ts";
import { valueNames } from "./words.ts";

/** All that services have to show, each once, in the order of {@linkcode bestValue}. */
export function valuesOf(services: readonly ProfiledService[]): ProfileValueChoice[] {
  const values = new Map<string, ProfileValueChoice>();
  for (const { kind, types } of kindsOf(services)) {
    for (const type of types) {
      const value = { kind, type };
      if (!values.has(valueId(value))) values.set(valueId(value), value);
    }
  }
  return [...values.values()];
}

/** What to show when nobody chose: time on the processor, else on the clock, else what there is most of. */
export function bestValue(services: readonly ProfiledService[]): ProfileValueChoice | null {
  return valuesOf(services)[0] ?? null;
}

function kindsOf(services: readonly ProfiledService[]) {
  const rank = (kind: string) => kind === "cpu" ? 0 : kind === "wall" ? 1 : 2;
  return services.flatMap(({ kinds }) => kinds).sort((a, b) =>
    rank(a.kind) - rank(b.kind) || b.profiles - a.profiles
  );
}

export interface ValuePickerProps {
  readonly values: readonly ProfileValueChoice[];
  readonly chosen: ProfileValueChoice;
  readonly hrefOf: (value: ProfileValueChoice) => string;
}

/** Chooses what is looked at: a kind of profiles and one of their values. */
export function ValuePicker({ values, chosen, hrefOf }: ValuePickerProps) {
  const ids = values.map(valueId);
  const listed = ids.includes(valueId(chosen)) ? values : [chosen, ...values];
  const names = valueNames(listed);
  const current = listed.findIndex((value) => valueId(value) === valueId(chosen));
  return (
    <ChoiceLinks
      label="Type of profile"
      choices={names}
      chosen={names[current] ?? ""}
      hrefOf={(name) => hrefOf(listed[names.indexOf(name)] ?? chosen)}
    />
  );
}
