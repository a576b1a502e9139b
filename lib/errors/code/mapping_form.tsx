import { codePath } from "../../ui/links.ts";
import { Button } from "../../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "../../ui/components/fields.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { fieldOf } from "../../ui/form.ts";
import type { CodeMapping, MappingInput } from "./mappings.ts";
import { CODE_HOSTS, type CodeHost } from "./source_link.ts";
import { type Message, message, t } from "../../core/language/translate.ts";

/** The form of a new mapping before anything is entered. */
export const NEW_MAPPING: MappingInput = {
  host: "github",
  address: "",
  repository: "",
  stackRoot: "",
  sourceRoot: "",
  defaultBranch: "main",
};

/** What the form of a mapping sends. */
export function readMappingForm(form: URLSearchParams): MappingInput {
  const names = Object.keys(NEW_MAPPING) as (keyof MappingInput)[];
  return {
    ...NEW_MAPPING,
    ...Object.fromEntries(names.map((name) => [name, fieldOf(form, name)])),
  };
}

/** The mappings of a project. */
export function MappingList({ mappings }: { readonly mappings: readonly CodeMapping[] }) {
  const rootOf = (text: string) => text === "" ? t("(all)") : text;
  return (
    <RowTable
      caption={t("Code mappings")}
      density="comfortable"
      rows={mappings}
      rowKey={({ id }) => id}
      columns={[
        {
          label: t("Paths in stacks"),
          cell: ({ projectId, id, stackRoot }) => (
            <a class="row-link link font-mono wrap-anywhere" href={`${codePath(projectId)}/${id}`}>
              {rootOf(stackRoot)}
            </a>
          ),
        },
        {
          label: t("In the repository"),
          cell: ({ sourceRoot }) => (
            <code class="wrap-anywhere">{sourceRoot === "" ? t("(its root)") : sourceRoot}</code>
          ),
        },
        {
          label: t("Repository"),
          cell: ({ repository, host }) => (
            <span class="wrap-anywhere">{`${repository} (${t(CODE_HOSTS[host].label)})`}</span>
          ),
        },
        {
          label: t("Branch"),
          class: "max-md:hidden",
          cell: ({ defaultBranch }) => <code class="wrap-anywhere">{defaultBranch}</code>,
        },
      ]}
    />
  );
}

interface MappingText {
  readonly name: Exclude<keyof MappingInput, "host">;
  readonly label: Message;
  readonly help: Message;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
}

const TEXTS: readonly MappingText[] = [
  {
    name: "address",
    label: message("Address"),
    help: message(
      "The page of the repository. Of another host: the page of a line, with {commit}, {path} and {line} in it.",
    ),
    placeholder: "https://github.com/acme/shop",
  },
  {
    name: "repository",
    label: message("Name of the repository"),
    help: message(
      "For another host only: as releases name it. All others tell it by their address.",
    ),
    placeholder: "acme/shop",
    isOptional: true,
  },
  {
    name: "stackRoot",
    label: message("Paths in stacks begin with"),
    help: message(
      "Empty: all do. What bundlers put before a path, as webpack:// and app:///, is left out by itself.",
    ),
    placeholder: "/usr/src/app/",
    isOptional: true,
  },
  {
    name: "sourceRoot",
    label: message("Which is in the repository"),
    help: message("A folder; empty: the root."),
    placeholder: "packages/web/",
    isOptional: true,
  },
  {
    name: "defaultBranch",
    label: message("Branch"),
    help: message("Shown when the commit of a release is not known."),
  },
];

interface MappingFormProps {
  readonly values: MappingInput;
  readonly errors: FormErrors;
  readonly isExisting: boolean;
}

/** Which files of stacks come from which repository. */
export function MappingForm({ values, errors, isExisting }: MappingFormProps) {
  return (
    <form method="post" class="max-w-2xl space-y-4">
      <FormSummary errors={errors} />
      <Select
        name="host"
        label={t("Where the repository is")}
        value={values.host}
        options={(Object.keys(CODE_HOSTS) as CodeHost[])
          .map((value) => ({ value, label: t(CODE_HOSTS[value].label) }))}
        error={errors.host}
      />
      {TEXTS.map(({ name, isOptional = false, label, help, ...more }) => (
        <Field
          key={name}
          name={name}
          value={values[name]}
          error={errors[name]}
          autocomplete="off"
          required={!isOptional}
          isOptional={isOptional}
          mono
          label={t(label)}
          help={t(help)}
          {...more}
        />
      ))}
      <Button kind="primary" name="action" value={isExisting ? "update" : "create"}>
        {isExisting ? t("Save") : t("Add mapping")}
      </Button>
    </form>
  );
}
