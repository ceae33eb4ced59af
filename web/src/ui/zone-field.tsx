/** A time zone by its IANA name, with those that the browser knows to choose from. */
import { useId } from "react";
import { TextField } from "./field.tsx";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/** The zone of the reader's own clock. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

interface ZoneFieldProps {
  readonly value: string;
  readonly onChange: (zone: string) => void;
  readonly hint: string;
  readonly error: string | undefined;
}

export function ZoneField({ value, onChange, hint, error }: ZoneFieldProps) {
  const listId = useId();
  return (
    <>
      <TextField
        label="Time zone"
        list={listId}
        autoComplete="off"
        spellCheck="false"
        maxLength={100}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        hint={hint}
        error={error}
      />
      <datalist id={listId}>
        {ZONES.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </>
  );
}
