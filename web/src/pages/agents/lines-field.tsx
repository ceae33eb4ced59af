import { CheckField, TextArea } from "../../ui/field.tsx";
import type { Lines } from "./agent-draft.ts";

interface LinesFieldProps {
  readonly label: string;
  readonly hint: string;
  /** What it means to say nothing of it, e.g. "Any model". */
  readonly unset: string;
  readonly value: Lines;
  readonly error: string | undefined;
  readonly onChange: (value: Lines) => void;
}

/** A list of texts, one on each line, that one may leave unsaid. */
export function LinesField({ label, hint, unset, value, error, onChange }: LinesFieldProps) {
  return (
    <div className="flex flex-col gap-2">
      <CheckField
        label={label}
        hint={value === null ? unset : undefined}
        checked={value !== null}
        onChange={({ target }) => onChange(target.checked ? "" : null)}
        error={value === null ? error : undefined}
      />
      {value === null ? null : (
        <TextArea
          className="pl-6"
          hidesLabel
          isCode
          rows={2}
          label={`${label}, one on each line`}
          hint={hint}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          error={error}
        />
      )}
    </div>
  );
}
