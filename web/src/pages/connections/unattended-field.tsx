/** Whether tasks that no person starts may use an account. */
import { CheckField } from "../../ui/field.tsx";

interface UnattendedFieldProps {
  readonly isUnattended: boolean;
  readonly onChange: (isUnattended: boolean) => void;
  readonly error: string | undefined;
}

export function UnattendedField({ isUnattended, onChange, error }: UnattendedFieldProps) {
  return (
    <CheckField
      label="Also while I am away"
      hint="Tasks that a schedule or a webhook starts for you may use it."
      checked={isUnattended}
      onChange={({ target }) => onChange(target.checked)}
      error={error}
    />
  );
}
