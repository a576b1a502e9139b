import { codePath } from "../../ui/links.ts";
import { Button } from "../../ui/components/button.tsx";
import { Field, type FormErrors, FormSummary, Select } from "../../ui/components/fields.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { fieldOf } from "../../ui/form.ts";
import type { CodeMapping, MappingInput } from "./mappings.ts";
import { CODE_HOSTS, type CodeHost } from "./source_link.ts";

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
  return {
    host: fieldOf(form, "host"),
    address: fieldOf(form, "address"),
    repository: fieldOf(form, "repository"),
    stackRoot: fieldOf(form, "stackRoot"),
    sourceRoot: fieldOf(form, "sourceRoot"),
    defaultBranch: fieldOf(form, "defaultBranch"),
  };
}

/** The mappings of a project. */
export function MappingList({ mappings }: { readonly mappings: readonly CodeMapping[] }) {
  const rootOf = (text: string) => text === "" ? "(all)" : text;
  return (
    <RowTable
      caption="Code mappings"
      density="comfortable"
      rows={mappings}
      rowKey={({ id }) => id}
      columns={[
        {
          label: "Paths in stacks",
          cell: ({ projectId, id, stackRoot }) => (
            <a class="row-link link font-mono wrap-anywhere" href={`${codePath(projectId)}/${id}`}>
              {rootOf(stackRoot)}
            </a>
          ),
        },
        {
          label: "In the repository",
          cell: ({ sourceRoot }) => (
            <code class="wrap-anywhere">{sourceRoot === "" ? "(its root)" : sourceRoot}</code>
          ),
        },
        {
          label: "Repository",
          cell: ({ repository, host }) => (
            <span class="wrap-anywhere">{`${repository} (${CODE_HOSTS[host].label})`}</span>
          ),
        },
        {
          label: "Branch",
          class: "max-md:hidden",
          cell: ({ defaultBranch }) => <code class="wrap-anywhere">{defaultBranch}</code>,
        },
      ]}
    />
  );
}

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
        label="Where the repository is"
        value={values.host}
        options={(Object.keys(CODE_HOSTS) as CodeHost[])
          .map((value) => ({ value, label: CODE_HOSTS[value].label }))}
        error={errors.host}
      />
      <Field
        name="address"
        label="Address"
        value={values.address}
        error={errors.address}
        help="The page of the repository. Of another host: the page of a line, with {commit}, {path} and {line} in it."
        placeholder="https://github.com/acme/shop"
        autocomplete="off"
        required
        mono
      />
      <Field
        name="repository"
        label="Name of the repository"
        value={values.repository}
        error={errors.repository}
        help="For another host only: as releases name it. All others tell it by their address."
        placeholder="acme/shop"
        autocomplete="off"
        isOptional
        mono
      />
      <Field
        name="stackRoot"
        label="Paths in stacks begin with"
        value={values.stackRoot}
        error={errors.stackRoot}
        help="Empty: all do. What bundlers put before a path, as webpack:// and app:///, is left out by itself."
        placeholder="/usr/src/app/"
        autocomplete="off"
        isOptional
        mono
      />
      <Field
        name="sourceRoot"
        label="Which is in the repository"
        value={values.sourceRoot}
        error={errors.sourceRoot}
        help="A folder; empty: the root."
        placeholder="packages/web/"
        autocomplete="off"
        isOptional
        mono
      />
      <Field
        name="defaultBranch"
        label="Branch"
        value={values.defaultBranch}
        error={errors.defaultBranch}
        help="Shown when the commit of a release is not known."
        autocomplete="off"
        required
        mono
      />
      <Button kind="primary" name="action" value={isExisting ? "update" : "create"}>
        {isExisting ? "Save" : "Add mapping"}
      </Button>
    </form>
  );
}
