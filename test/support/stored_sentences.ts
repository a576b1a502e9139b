/**
 * The sentences that follow a beginning in the sources of a folder, with something in each of their places: what programs
 * store in English, of which translations must not miss any.
 *
 * @param beginnings with the flag `g`; the first text in quotation marks behind it that begins with a capital is the sentence
 */
export function sentencesIn(folder: string, beginnings: RegExp): string[] {
  const sentences = new Set<string>();
  for (const { name } of Deno.readDirSync(folder)) {
    if (!name.endsWith(".ts")) continue;
    const source = Deno.readTextFileSync(`${folder}/${name}`);
    for (const match of source.matchAll(beginnings)) {
      const rest = source.slice(match.index + match[0].length).split(/;\n/)[0] ?? "";
      const [, text = ""] = /["`'](?=[A-Z])((?:\$\{[^}]*\}|[^"`])*?[.!])["`']/.exec(rest) ?? [];
      if (text.includes(" ")) sentences.add(text.replace(/\$\{[^}]*\}/g, "7"));
    }
  }
  return [...sentences];
}
