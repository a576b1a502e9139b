/**
 * Holds what people read to their language: no text of a page or an error stands outside of `t()`, none is translated while
 * a module is loaded, and every translation has the places, tags and plural forms that it needs, and is used.
 *
 *   deno run -A test/support/check_words.ts
 */
import ts from "typescript";
import { russian } from "../../lib/core/language/ru.ts";

/** What programs read: the API, its document and its refusals are in English. */
const FOR_PROGRAMS = [
  "lib/api/",
  "lib/errors/api/",
  "lib/accounts/scopes.ts",
  "lib/accounts/provisioning.ts",
  "lib/projects/scim/",
  "routes/api/",
  "routes/(ui)/api/",
  // Of tokens it tells programs; the rest comes from files that are looked at.
  "lib/accounts/authorize.ts",
];

/** Attributes of elements and components that people read. */
const READ_ATTRIBUTES = new Set(
  "title label help description placeholder aria-label alt legend caption heading summary hint what"
    .split(" "),
);
/** What is read out of errors. Of which argument it is the message. */
const ERRORS: Readonly<Record<string, number>> = { InvalidInput: 1, Denied: 1, HttpError: 1 };
/** What is inside is code. */
const CODE_TAGS = new Set(["code", "pre", "kbd", "samp", "script", "style"]);
/** Names, units and abbreviations that are the same in all languages. */
const NAMES =
  /\b(?:Watchpost|Sentry|OpenTelemetry|OTLP|OTel|Prometheus|Grafana|Pyroscope|Postgres|PostgreSQL|Deno|Fresh|KV|CODEOWNERS|Europe\/Berlin|S3|GitHub|GitLab|Gitea|Jira|YouTrack|Linear|Slack|Telegram|Mattermost|Discord|Teams|Google|Microsoft|Entra|Okta|Keycloak|Authentik|Yandex|VK|ID|DSN|URL|HTTP|HTTPS|API|SQL|JSON|CSV|UTC|SSO|OIDC|SCIM|SDK|PNG|SVG|RSS|Web Vitals|LCP|INP|CLS|FCP|TTFB|[Pp]\d\d|Apdex|cron|pprof|JavaScript|TypeScript|Node\.?js|Node|Python|Go|Java|Kotlin|Ruby|Rust|PHP|Tilda|Wix|CSS|HTML|PromQL|MetricsQL|ID|IP|TCP|DNS|TLS|SMTP|MCP|N\+1|ms|min|KiB|MiB|GiB|XXXX)\b/g;

const faults: string[] = [];
const used = new Set<string>();
const keys = new Set<string>(Object.keys(russian));

for (const [path, text] of [...sources("lib"), ...sources("islands"), ...sources("routes")]) {
  checkFile(path, text);
}
for (const key of keys) {
  if (!used.has(key)) faults.push(`ru.ts: nobody says ${JSON.stringify(key)}`);
}
for (const [english, translated] of Object.entries(russian)) checkTranslation(english, translated);
if (faults.length > 0) {
  console.error(
    `${faults.join("\n")}\n\n${faults.length} texts are not as CONTRIBUTING.md, Languages, says`,
  );
  Deno.exit(1);
}

function* sources(folder: string): Generator<[string, string]> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory && path !== "lib/fresh") yield* sources(path);
    else if (/\.tsx?$/.test(name) && name !== "ru.ts") yield [path, Deno.readTextFileSync(path)];
  }
}

function checkFile(path: string, text: string): void {
  const file = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const isForPrograms = /(?:^|\/)(?:api|api_\w+|json)\.tsx?$/.test(path) ||
    FOR_PROGRAMS.some((folder) => path.startsWith(folder));
  const fault = (node: ts.Node, what: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    faults.push(
      `${path}:${line + 1}: ${what}: ${node.getText(file).replace(/\s+/g, " ").slice(0, 100)}`,
    );
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) used.add(node.text);
    if (ts.isCallExpression(node) && isTranslating(node) && !isInFunction(node)) {
      fault(node, "translated while the module is loaded; use message()");
    }
    if (!isForPrograms) {
      if (ts.isJsxText(node) && isRead(node.text) && !isCode(node)) fault(node, "not translated");
      if (ts.isJsxAttribute(node) && READ_ATTRIBUTES.has(node.name.getText(file))) {
        bareTexts(node.initializer).forEach((each) => fault(each, "not translated"));
      }
      if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && !isCode(node)) {
        bareTexts(node.expression).forEach((each) => fault(each, "not translated"));
      }
      if (ts.isBinaryExpression(node) && /\bmeta\.title$/.test(node.left.getText(file))) {
        bareTexts(node.right).forEach((each) => fault(each, "not translated"));
      }
      if (ts.isNewExpression(node)) {
        const place = ERRORS[node.expression.getText(file)];
        if (place !== undefined) {
          bareTexts(node.arguments?.[place]).forEach((each) => fault(each, "not translated"));
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** Texts in words that an expression may come to, but for those that are translated. */
function bareTexts(node: ts.Node | undefined): ts.Node[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return isRead(node.text) ? [node] : [];
  if (ts.isTemplateExpression(node)) {
    const texts = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
    return isRead(texts.map(({ text }) => text).join("\0")) ? [node] : [];
  }
  if (ts.isJsxExpression(node) || ts.isParenthesizedExpression(node)) {
    return bareTexts(node.expression);
  }
  if (ts.isConditionalExpression(node)) {
    return [...bareTexts(node.whenTrue), ...bareTexts(node.whenFalse)];
  }
  if (!ts.isBinaryExpression(node)) return [];
  const isChoice = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
  const isOther = [
    ts.SyntaxKind.PlusToken,
    ts.SyntaxKind.QuestionQuestionToken,
    ts.SyntaxKind.BarBarToken,
  ]
    .includes(node.operatorToken.kind);
  if (isChoice) return bareTexts(node.right);
  return isOther ? [...bareTexts(node.left), ...bareTexts(node.right)] : [];
}

/** Whether a text has words in it that have another form in another language. */
function isRead(text: string): boolean {
  // Parts of the kit that count take messages with plurals, and translate them.
  if (text.includes("|") && keys.has(text)) return false;
  if (/^(?:https?:\/\/\S*|Authorization: Bearer …)$/.test(text)) return false;
  const words = text.replace(/&\w+;/g, " ").replace(NAMES, " ");
  // One word alone in small letters, such as a code, has no blank, capital or end of a sentence.
  return /[A-Za-z]{2,}/.test(words) &&
    !/^\s*[\w.:/#@*+-]*\s*$/.test(words.replace(/^[A-Z]/, "! ")) &&
    !/^[a-z\d-]+(?:[ :/.][a-z\d[\]()/.:%-]+)*$/.test(text.trim());
}

function isCode(node: ts.Node): boolean {
  const { parent } = node;
  return ts.isJsxElement(parent) && CODE_TAGS.has(parent.openingElement.tagName.getText());
}

function isTranslating({ expression }: ts.CallExpression): boolean {
  return ts.isIdentifier(expression) && (expression.text === "t" || expression.text === "rich");
}

function isInFunction(node: ts.Node): boolean {
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isFunctionLike(at)) return true;
  }
  return false;
}

/** A translation says as much as its message: the same places and tags, and a form for each plural of its language. */
function checkTranslation(english: string, translated: string): void {
  const forms = new Intl.PluralRules("ru").resolvedOptions().pluralCategories
    .filter((category) => category !== "other").length;
  const named = english.replace(/@@.*$/s, "");
  const wanted = named.includes("|") ? forms : 1;
  const text = JSON.stringify(english);
  if (named.split("|").length > 2) faults.push(`ru.ts: English has two forms: ${text}`);
  if (translated.split("|").length !== wanted) {
    faults.push(`ru.ts: ${wanted} forms are wanted: ${text}`);
  }
  if (translated.trim() === "") faults.push(`ru.ts: nothing is said of ${text}`);
  const marks = marksOf(named);
  for (const form of translated.split("|")) {
    if (marksOf(form) !== marks) {
      faults.push(`ru.ts: other places or tags than in ${text}: ${form}`);
    }
  }
}

/** The places and tags of a message, in one order. In plurals some forms may leave out `{n}`. */
function marksOf(text: string): string {
  return [...new Set(text.match(/\{\w+\}|<\/[a-z]+>/gi) ?? [])].filter((mark) => mark !== "{n}")
    .sort()
    .join();
}
