import { LIMITS } from "../limits.ts";
import { Button } from "../../ui/components/button.tsx";
import { Field } from "../../ui/components/field.tsx";
import { type FormErrors, FormSummary } from "../../ui/components/form_summary.tsx";
import { PageHeader } from "../../ui/components/page_header.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import type { Shell } from "../../ui/shell.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import { DashboardFrame } from "../dashboard_frame.tsx";

export interface NewDashboardView {
  readonly shell: Shell;
  readonly tracing: Tracing;
  /** Which of the two forms was sent or is asked for. */
  readonly from: "nothing" | "json";
  readonly name: string;
  readonly json: string;
  readonly errors: FormErrors;
}

/** A new dashboard, empty or from an export. */
export function NewDashboardPage(view: NewDashboardView) {
  const { shell, tracing, from } = view;
  const forms = from === "json" ? [Imported, Empty] : [Empty, Imported];
  return (
    <DashboardFrame
      shell={shell}
      tracing={tracing}
      crumbs={[{ label: "New dashboard" }]}
      width="narrow"
    >
      <PageHeader title="New dashboard" />
      <div class="space-y-6">
        {forms.map((Form, index) => <Form key={index} {...view} isFirst={index === 0} />)}
      </div>
    </DashboardFrame>
  );
}

interface FormProps extends NewDashboardView {
  readonly isFirst: boolean;
}

function Empty({ from, name, errors, isFirst }: FormProps) {
  const own = from === "nothing" ? errors : {};
  return (
    <Panel title="Empty">
      <form method="post" class="space-y-4">
        <input type="hidden" name="from" value="nothing" />
        <FormSummary errors={own} />
        <Field
          name="name"
          label="Name"
          value={name}
          error={own.name}
          maxLength={LIMITS.name}
          autofocus={isFirst}
          required
        />
        <Button kind={isFirst ? "primary" : "secondary"}>Create</Button>
      </form>
    </Panel>
  );
}

function Imported({ from, json, errors, isFirst }: FormProps) {
  const own = from === "json" ? errors : {};
  return (
    <Panel
      title="From JSON"
      description="What “Export as JSON” of a dashboard gave, from here or from another project. Choose the file or paste the text."
    >
      <form method="post" enctype="multipart/form-data" class="space-y-4">
        <input type="hidden" name="from" value="json" />
        <FormSummary errors={own} />
        <div>
          <label for="field-file" class="mb-1 block font-medium">File</label>
          <input
            id="field-file"
            type="file"
            name="file"
            accept="application/json,.json"
            class="max-w-full text-sm file:mr-3 file:h-8 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-line-strong file:bg-surface file:px-3 file:font-medium"
          />
        </div>
        <Field name="json" label="Text" value={json} error={own.json} rows={8} mono isOptional />
        <Button kind={isFirst ? "primary" : "secondary"}>Import</Button>
      </form>
    </Panel>
  );
}
