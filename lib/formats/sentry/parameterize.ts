/**
 * The parts of a message that vary between occurrences of the same problem, each with the token that stands
 * for it. One pass; at each place the first rule that matches wins. Every repetition is bounded and starts
 * where a word starts, so that the time is linear in the length of the text.
 */
const RULES: readonly (readonly [token: string, pattern: RegExp])[] = [
  ["email", /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/],
  ["url", /\b(?:https?|wss?|ftp):\/\/[^\s"'<>]{1,2048}/],
  [
    "hostname",
    /(?<![\w.-])(?:[a-zA-Z0-9-]{1,63}\.){1,10}(?:com|net|org|edu|gov|io|dev|app|cloud|info|biz|xyz|site|online|shop|store|local|internal|lan|localdomain|eu|de|uk|us|fr|nl|ch|be|se|dk|fi|es|pt|cz|jp|cn|kr|br|au|ca|mx|ru|ua|tr|hu|gr|ie|nz|za|tv)(?![\w-]|\.\w)/,
  ],
  ["ip", /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/],
  [
    "ip",
    /(?<![\w:.])(?=[a-fA-F\d:]{0,40}\d)(?:(?:[\da-fA-F]{1,4}:){7}[\da-fA-F]{1,4}|(?:[\da-fA-F]{1,4}:){1,6}(?::[\da-fA-F]{1,4}){1,6}|::(?:[\da-fA-F]{1,4}:){0,6}[\da-fA-F]{1,4})(?![\w:(])/,
  ],
  ["traceparent", /\b00-[\da-f]{32}-[\da-f]{16}-0[01]\b/],
  ["traceparent", /\b1-[\da-f]{8}-[\da-f]{24}\b/],
  ["uuid", /\b[\da-fA-F]{8}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{12}\b/],
  ["sha1", /\b[\da-fA-F]{40}\b/],
  ["md5", /\b[\da-fA-F]{32}\b/],
  [
    "date",
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?\b/,
  ],
  ["date", /\b\d{8}T\d{4,6}(?:\.\d{1,9})?Z?\b/],
  [
    "date",
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?\d{1,2}[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}[ -]\d{2,4}(?: \d\d:\d\d(?::\d\d)?(?: (?:[A-Z]{1,4}|[+-]\d{4}))?)?\b/,
  ],
  [
    "date",
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d{1,2},? \d{4}(?: \d\d:\d\d:\d\d(?: GMT[+-]\d{4}(?: \([\w ]{1,64}\))?)?)?/,
  ],
  ["date", /\bdatetime\.datetime\([\d, ]{1,64}\)/],
  ["date", /\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[aApP][mM])?\b/],
  ["duration", /\b(?:\d{1,20}(?:\.\d{1,20})?ms|\d{1,20}\.\d{1,20}s)\b/],
  ["swift_txn_id", /\btx[\da-f]{21}-[\da-f]{10}\b/],
  ["hex", /\b0[xX][\da-fA-F]{1,512}\b/],
  [
    "hex",
    /\b(?:(?=[a-f]{0,128}\d)[\da-f]{8,128}|(?=[A-F]{0,128}\d)[\dA-F]{8,128})\b/,
  ],
  ["git_sha", /\b(?=[a-f]{0,7}\d)(?=\d{0,7}[a-f])[\da-f]{7}\b/],
  ["float", /(?:(?<!\w)-)?\b\d{1,20}\.\d{1,20}\b/],
  ["int", /(?:(?<!\w)-)?\b\d{1,7}\b/],
  ["quoted_str", /(?<==)(?:'[^'\n]{0,256}'|"[^"\n]{0,256}")/],
  ["bool", /(?<==)(?:true|false|True|False)\b/],
];

const ANY_RULE = new RegExp(RULES.map(([, pattern]) => `(${pattern.source})`).join("|"), "g");

/** Longer texts are cut before the work: nobody tells two problems apart by their thousandth letter. */
const MAX_LENGTH = 1_000;

/**
 * A message without what varies: `user 17 not found` → `user <int> not found`. Takes the first two lines that
 * are not empty.
 */
export function parameterize(message: string): string {
  return firstLines(message.slice(0, MAX_LENGTH)).replace(ANY_RULE, (match, ...groups) => {
    const rule = RULES[groups.findIndex((group) => group !== undefined)];
    return rule ? `<${rule[0]}>` : match;
  });
}

function firstLines(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter((line) => line !== "");
  return lines.slice(0, 2).join("\n");
}
