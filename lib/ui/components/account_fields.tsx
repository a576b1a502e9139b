import { MIN_PASSWORD_LENGTH } from "../../accounts/password_policy.ts";
import { Field } from "./field.tsx";
import type { FormErrors } from "./form_summary.tsx";

export interface AccountFieldsProps {
  readonly values: { readonly name: string; readonly email: string };
  readonly errors: FormErrors;
}

/** What a new account needs: name, mail address and password. */
export function AccountFields({ values, errors }: AccountFieldsProps) {
  return (
    <>
      <Field
        name="name"
        label="Your name"
        value={values.name}
        error={errors.name}
        maxLength={64}
        autocomplete="name"
        required
      />
      <Field
        name="email"
        label="Mail address"
        type="email"
        value={values.email}
        error={errors.email}
        autocomplete="username"
        required
      />
      <Field
        name="password"
        label="Password"
        type="password"
        error={errors.password}
        help={`At least ${MIN_PASSWORD_LENGTH} characters, such as four or five unrelated words.`}
        autocomplete="new-password"
        required
      />
    </>
  );
}
