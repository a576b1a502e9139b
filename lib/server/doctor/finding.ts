/** What the doctor has to say about one thing. */
export interface Finding {
  /** What was looked at: a word such as `postgres`. */
  readonly check: string;
  readonly level: "ok" | "warning" | "problem";
  /** One sentence: what it means. */
  readonly meaning: string;
  /** One sentence: what to do; null where all is well. */
  readonly remedy: string | null;
}

export function ok(check: string, meaning: string): Finding {
  return { check, level: "ok", meaning, remedy: null };
}

export function warning(check: string, meaning: string, remedy: string): Finding {
  return { check, level: "warning", meaning, remedy };
}

export function problem(check: string, meaning: string, remedy: string): Finding {
  return { check, level: "problem", meaning, remedy };
}

/** What an error says, in one line and without the words of a start. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(reasonOf).join(", ");
  }
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^Cannot start: /, "").split("\n")[0] ?? "";
}

/** @returns what `look` found, or a problem with the reason why it found nothing */
export async function orProblem(
  check: string,
  what: string,
  remedy: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [problem(check, `${what}: ${reasonOf(error)}.`, remedy)];
  }
}
