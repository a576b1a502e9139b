/** Fields of a form as text. */

/** A field without outer blanks; `""` when it is missing. */
export function textOf(form: URLSearchParams, field: string): string {
  return form.get(field)?.trim() ?? "";
}

/** All that was chosen of one name, each once. */
export function allOf(form: URLSearchParams, field: string): string[] {
  return [...new Set(form.getAll(field).filter((value) => value !== ""))];
}
