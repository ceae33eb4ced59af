/** Names with values: headers, or variables. Values may name secrets. */
import { Plus, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import type { Pair } from "./server-fields.ts";

interface PairsFieldProps {
  readonly title: string;
  readonly noun: string;
  readonly nameLabel: string;
  readonly namePlaceholder: string;
  readonly valuePlaceholder: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
  /** Names of secrets that a value is offered. */
  readonly secrets: readonly string[];
  readonly hint: ReactNode;
  readonly error: string | undefined;
}

export function PairsField({
  title,
  noun,
  nameLabel,
  pairs,
  onChange,
  secrets,
  hint,
  error,
  ...examples
}: PairsFieldProps) {
  const id = useId();
  const change = (at: number, next: Partial<Pair>): void =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...next } : pair)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">{title}</legend>
      {pairs.map(({ name, value }, at) => (
        <div key={at} className="flex items-end gap-2">
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <TextField
              label={`${nameLabel} ${at + 1}`}
              hidesLabel
              autoComplete="off"
              spellCheck="false"
              value={name}
              placeholder={examples.namePlaceholder}
              onChange={({ target }) => change(at, { name: target.value })}
            />
            <TextField
              label={`Value of ${name === "" ? `${noun} ${at + 1}` : name}`}
              hidesLabel
              autoComplete="off"
              spellCheck="false"
              list={`${id}-secrets`}
              value={value}
              placeholder={examples.valuePlaceholder}
              onChange={({ target }) => change(at, { value: target.value })}
            />
          </div>
          <IconButton
            label={`Take away ${name === "" ? `${noun} ${at + 1}` : name}`}
            onClick={() => onChange(pairs.filter((_, index) => index !== at))}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      <datalist id={`${id}-secrets`}>
        {secrets
          .flatMap((secret) => [`\${${secret}}`, `Bearer \${${secret}}`])
          .map((offered) => (
            <option key={offered} value={offered}>
              {offered}
            </option>
          ))}
      </datalist>
      {error === undefined ? null : <p className="text-sm text-danger">{error}</p>}
      <Button
        size="small"
        className="self-start"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => onChange([...pairs, { name: "", value: "" }])}
      >
        Add a {noun}
      </Button>
      <p className="text-sm text-quiet">{hint}</p>
    </fieldset>
  );
}
