import { classes } from "./components/class_names.ts";

export interface ChoiceLinksProps {
  /** What is chosen, read out. */
  readonly label: string;
  /** `""` stands for all. */
  readonly choices: readonly string[];
  readonly chosen: string;
  readonly hrefOf: (choice: string) => string;
}

/** A choice of one as links in a row, so that each has an address. */
export function ChoiceLinks({ label, choices, chosen, hrefOf }: ChoiceLinksProps) {
  return (
    <nav aria-label={label} class="mt-2 flex flex-wrap gap-1.5 text-sm">
      {choices.map((choice) => (
        <a
          key={choice}
          href={hrefOf(choice)}
          aria-current={choice === chosen ? "true" : undefined}
          class={classes(
            "inline-flex h-6 items-center rounded-md border px-2",
            choice === chosen ? "border-accent text-accent" : "border-line-strong hover:bg-hover",
          )}
        >
          {choice || "All"}
        </a>
      ))}
    </nav>
  );
}
