/** The parts of the page of a project's owners. */
import { Button } from "../../ui/components/button.tsx";
import {
  CONTROL_LOOK,
  Field,
  FieldFrame,
  fieldId,
  type FormErrors,
  FormSummary,
  Select,
} from "../../ui/components/fields.tsx";
import { CodeBlock } from "../../ui/components/code_block.tsx";
import { Alert, EmptyState, Panel } from "../../ui/components/panel.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatBytes } from "../../ui/format.ts";
import { codePath, ownershipPath } from "../../ui/links.ts";
import type { CodeMapping } from "../code/mappings.ts";
import type { DroppedLine } from "./codeowners.ts";
import { type OwnershipRule, ownerText } from "./rules.ts";
import type { ProjectRules } from "./load_rules.ts";
import type { AutoAssignment } from "./settings.ts";
import type { TriedRules } from "./try_rules.ts";
import { type Message, message, rich, t } from "../../core/language/translate.ts";

/** What the two forms show. */
export interface OwnershipValues {
  readonly raw: string;
  readonly autoAssignment: AutoAssignment;
}

export interface FileValues {
  readonly raw: string;
  readonly codeMappingId: string;
  readonly names: string;
}

const EXAMPLE = `# path is what stands without a type; the last rule that matches wins
src/checkout/* #checkout
path:src/views/*.tsx ann@example.com #web
module:com.example.billing.* #billing
url:https://shop.example.com/cart* #checkout
tags.area:search bob@example.com`;

const FILE_EXAMPLE = "/src/checkout/ @acme/checkout\n*.sql @mona";
const NAMES_EXAMPLE = "@mona mona@example.com\n@acme/frontend #web";

const AUTO_LABELS: Readonly<Record<AutoAssignment, Message>> = {
  owner: message("To the owner whom the rules name"),
  suspect: message("To the author of the suspect commit, else to the owner"),
  off: message("No: suggest only"),
};

interface RulesPanelProps {
  readonly values: OwnershipValues;
  readonly errors: FormErrors;
  readonly mayWrite: boolean;
}

/** The rules, and what they do. */
export function RulesPanel({ values, errors, mayWrite }: RulesPanelProps) {
  return (
    <Panel
      title={t("Ownership rules")}
      id="rules"
      description={t(
        "Who owns what. The last rule that an event matches wins; it suggests its owners for the issue, and the last of them gets it.",
      )}
    >
      <form method="post" class="space-y-4">
        <FormSummary errors={errors} />
        {values.raw === "" && (
          <details class="text-sm" open>
            <summary class="cursor-pointer font-medium">
              {t("No rules yet: lines to begin with")}
            </summary>
            <div class="mt-2">
              <CodeBlock id="ownership-example" label={t("Example rules")} code={EXAMPLE} />
            </div>
          </details>
        )}
        <Field
          name="raw"
          label={t("Rules")}
          value={values.raw}
          error={errors.raw}
          help={t(
            "One rule a line: a pattern, then emails of members, or # and a team that has this project. * stands for any text, slashes too; a pattern with blanks stands in quotation marks.",
          )}
          rows={12}
          mono
        />
        <Select
          name="autoAssignment"
          label={t("Assign new issues by themselves")}
          options={Object.entries(AUTO_LABELS).map(([value, label]) => ({
            value,
            label: t(label),
          }))}
          value={values.autoAssignment}
          help={t("What a person has chosen no rule changes.")}
          error={errors.autoAssignment}
        />
        {mayWrite && <Button kind="primary" name="action" value="save">{t("Save")}</Button>}
      </form>
    </Panel>
  );
}

/** Longer files are not sent along with the page. */
const MAX_SHOWN_FILE = 50_000;
const MAX_DROPPED = 200;

interface FilePanelProps {
  readonly projectId: string;
  readonly rules: Pick<ProjectRules, "codeowners" | "converted">;
  readonly mappings: readonly CodeMapping[];
  readonly values: FileValues;
  readonly errors: FormErrors;
  readonly mayWrite: boolean;
}

/** The CODEOWNERS file with what became of it. */
export function FilePanel(props: FilePanelProps) {
  const { projectId, rules: { codeowners, converted }, mappings, values, errors, mayWrite } = props;
  const size = new TextEncoder().encode(values.raw).length;
  const isLong = size > MAX_SHOWN_FILE;
  return (
    <Panel
      title="CODEOWNERS"
      id="codeowners"
      description={t("The file of the repository. Its lines count where no rule above matches.")}
      actions={codeowners && mayWrite && (
        <form method="post">
          <Button kind="danger" size="sm" name="action" value="remove-file">{t("Remove")}</Button>
        </form>
      )}
    >
      <div class="space-y-4">
        {codeowners && (
          <p class="text-sm text-muted">
            {rich("{n} rule of {size}, saved {time}|{n} rules of {size}, saved {time}", {
              n: converted.rules.length,
              size: formatBytes(size),
              time: <RelativeTime date={codeowners.updatedAt} />,
            })}
            {converted.dropped.length > 0 &&
              `; ${t("{n} line dropped|{n} lines dropped", { n: converted.dropped.length })}`}
          </p>
        )}
        {converted.unknown.length > 0 && (
          <Alert kind="warning" title={t("Some owners are not known here")}>
            {t("{names}: say below whom they are.", { names: converted.unknown.join(", ") })}
          </Alert>
        )}
        <DroppedLines dropped={converted.dropped} />
        {mayWrite && (
          <form method="post" encType="multipart/form-data" class="space-y-4">
            <FormSummary errors={errors} idPrefix="file-" />
            <FieldFrame
              id={fieldId("upload", "file-")}
              label={t("File")}
              isOptional
              help={t("Up to 3 MB; it takes the place of the lines below.")}
            >
              <input
                type="file"
                id={fieldId("upload", "file-")}
                name="upload"
                class={`${CONTROL_LOOK} py-1.5`}
              />
            </FieldFrame>
            {isLong
              ? <p class="text-sm text-muted">{t("The file is too long to be changed here.")}</p>
              : (
                <Field
                  name="raw"
                  idPrefix="file-"
                  label={t("Lines")}
                  value={values.raw}
                  error={errors.raw}
                  placeholder={FILE_EXAMPLE}
                  rows={8}
                  mono
                />
              )}
            <Select
              name="codeMappingId"
              idPrefix="file-"
              label={t("Paths")}
              value={values.codeMappingId}
              error={errors.codeMappingId}
              options={[
                { value: "", label: t("As in the repository") },
                ...mappings.map(({ id, repository, stackRoot, sourceRoot }) => ({
                  value: id,
                  label: t("{sourceRoot} of {repository} is {stackRoot} in stacks", {
                    sourceRoot: sourceRoot || t("(its root)"),
                    repository,
                    stackRoot: stackRoot || t("(all)"),
                  }),
                })),
              ]}
              help={
                <>
                  {rich("By a <a>code mapping</a>, where stacks have other paths.", {
                    a: (words) => <a class="link" href={codePath(projectId)}>{words}</a>,
                  })}
                </>
              }
            />
            <Field
              name="names"
              idPrefix="file-"
              label={t("Names")}
              isOptional
              value={values.names}
              error={errors.names}
              help={t(
                "Whom names of the file mean, one a line. Without a line here, @acme/web is the team web, and @mona the member who is called so.",
              )}
              placeholder={NAMES_EXAMPLE}
              rows={4}
              mono
            />
            <Button name="action" value="save-file">{t("Save the file")}</Button>
          </form>
        )}
      </div>
    </Panel>
  );
}

function DroppedLines({ dropped }: { readonly dropped: readonly DroppedLine[] }) {
  if (dropped.length === 0) return null;
  return (
    <details>
      <summary class="inline-block cursor-pointer text-sm underline hover:text-ink">
        {t("{n} line of the file is no rule|{n} lines of the file are no rule", {
          n: dropped.length,
        })}
      </summary>
      <RowTable
        caption={t("Lines that are no rule")}
        rows={dropped.slice(0, MAX_DROPPED)}
        rowKey={({ line }) => line}
        columns={[
          { label: t("Line"), align: "right", cell: ({ line }) => line },
          { label: t("Text"), cell: ({ text }) => <code class="wrap-anywhere">{text}</code> },
          { label: t("Why"), cell: ({ reason }) => <span class="wrap-anywhere">{reason}</span> },
        ]}
      />
      {dropped.length > MAX_DROPPED && (
        <p class="mt-1 text-sm text-muted">
          {t("And {n} more line; the API has all.|And {n} more lines; the API has all.", {
            n: dropped.length - MAX_DROPPED,
          })}
        </p>
      )}
    </details>
  );
}

interface TryPanelProps {
  readonly projectId: string;
  readonly tried: TriedRules | null;
}

/** Which rules an event, a path, an address or a tag matches. */
export function TryPanel({ projectId, tried }: TryPanelProps) {
  return (
    <Panel title={t("Try the rules")} id="try">
      <form method="get" action={`${ownershipPath(projectId)}#try`} class="space-y-3">
        <Field
          name="try"
          label={t("An event's id, a path, an address or a tag")}
          value={tried?.text ?? ""}
          error={tried?.problem ?? undefined}
          placeholder="src/checkout/cart.ts"
          help={t("A tag as tags.area:search. The rules as they are saved are asked.")}
          maxLength={1_000}
          mono
        />
        <Button>{t("Try")}</Button>
      </form>
      {tried !== null && tried.problem === null && <TriedResult tried={tried} />}
    </Panel>
  );
}

const MAX_MATCHING = 50;

function TriedResult({ tried: { rules, owners, isCut } }: { readonly tried: TriedRules }) {
  const [winner] = rules;
  if (winner === undefined) {
    return (
      <EmptyState title={t("No rule matches")}>
        {t("The issue would have no owner by rules; suspect commits may still name one.")}
      </EmptyState>
    );
  }
  return (
    <div class="mt-4 space-y-3" role="status">
      <p>
        {rich(
          winner.type === "codeowners"
            ? "{owners} owns it, by line {line} of CODEOWNERS.|{owners} own it, by line {line} of CODEOWNERS."
            : "{owners} owns it, by line {line} of the rules.|{owners} own it, by line {line} of the rules.",
          {
            n: Math.max(1, owners.length),
            owners: (
              <span class="font-medium">{owners.join(", ") || t("Nobody who is still here")}</span>
            ),
            line: String(winner.line),
          },
        )}
      </p>
      <RowTable
        caption={t("Rules that match, the one that wins first")}
        rows={rules.slice(0, MAX_MATCHING)}
        rowKey={(rule) => `${rule.type === "codeowners"}${rule.line}`}
        columns={matchingColumns()}
      />
      {rules.length > MAX_MATCHING && (
        <p class="text-sm text-muted">
          {t("And {n} more rule.|And {n} more rules.", { n: rules.length - MAX_MATCHING })}
        </p>
      )}
      {isCut && (
        <Alert kind="warning">
          {t("There was more to compare than one event may cost: rules farther up were not asked.")}
        </Alert>
      )}
    </div>
  );
}

const matchingColumns = () => [
  {
    label: t("Where"),
    cell: ({ type, line }: OwnershipRule) =>
      type === "codeowners"
        ? t("CODEOWNERS, line {line}", { line: String(line) })
        : t("Rules, line {line}", { line: String(line) }),
  },
  {
    label: t("Matches"),
    cell: ({ type, pattern }: OwnershipRule) => (
      <code class="wrap-anywhere">{type === "codeowners" ? pattern : `${type}:${pattern}`}</code>
    ),
  },
  {
    label: t("Owners@@ownership"),
    cell: ({ owners }: OwnershipRule) => (
      <span class="wrap-anywhere">{owners.map(ownerText).join(" ")}</span>
    ),
  },
];
