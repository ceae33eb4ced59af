/** The address of a database with its password: typed once, and never shown again. */
import { TextField } from "../../ui/field.tsx";

interface DsnFieldProps {
  readonly dsn: string;
  readonly onChange: (dsn: string) => void;
  readonly error: string | undefined;
}

export function DsnField({ dsn, onChange, error }: DsnFieldProps) {
  return (
    <TextField
      label="DSN"
      type="password"
      autoComplete="off"
      required
      maxLength={2_000}
      value={dsn}
      onChange={({ target }) => onChange(target.value)}
      hint={
        <>
          <code className="font-mono [overflow-wrap:anywhere]">postgres://user:password@host:5432/name</code>, without
          parameters. It is not shown again.
        </>
      }
      error={error}
    />
  );
}
