/** Names to check, in a box that scrolls when there are many. */
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Name } from "../ui/name.tsx";

export interface NameChoice {
  readonly value: string;
  readonly name: string;
  /** Tells two of the same name apart. */
  readonly detail?: string;
}

interface NameChecksProps {
  readonly legend: string;
  readonly names: readonly NameChoice[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** The label of a field that adds a name which is not offered. */
  readonly adding?: string;
}

/** From this number on, a field narrows the names. */
const MANY = 10;

export function NameChecks({ legend, names, chosen, onChange, adding }: NameChecksProps) {
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const shown = names.filter(({ name, detail = "" }) => `${name} ${detail}`.toLowerCase().includes(wanted));
  const toggle = (value: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((one) => one !== value));
  return (
    <div className="flex flex-col gap-2 pl-6">
      {names.length < MANY ? null : (
        <TextField
          label={`Find in ${legend}`}
          hidesLabel
          placeholder="Find a name"
          autoComplete="off"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      )}
      {shown.length === 0 ? (
        <p className="text-sm text-quiet">{names.length === 0 ? "Nothing to choose from yet." : "No matching names"}</p>
      ) : (
        <ul aria-label={legend} className="flex max-h-44 flex-col gap-1 overflow-y-auto">
          {shown.map(({ value, name, detail }) => (
            <li key={value}>
              <label className="flex min-h-7 items-start gap-2">
                <input
                  type="checkbox"
                  className="mt-1 size-4 shrink-0 accent-(--accent)"
                  checked={chosen.includes(value)}
                  onChange={({ target }) => toggle(value, target.checked)}
                />
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  <Name>{name}</Name>
                  {detail === undefined ? null : <Name className="ml-2 text-sm text-quiet">{detail}</Name>}
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {adding === undefined ? null : (
        <AddName label={adding} onAdd={(name) => (chosen.includes(name) ? undefined : onChange([...chosen, name]))} />
      )}
    </div>
  );
}

function AddName({ label, onAdd }: { readonly label: string; readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState("");
  const add = (): void => {
    if (name.trim() !== "") onAdd(name.trim());
    setName("");
  };
  return (
    <div className="flex items-end gap-2">
      <TextField
        label={label}
        className="min-w-0 flex-1"
        autoComplete="off"
        maxLength={64}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => {
          // Enter in a form would send it; while a word is composed, it ends the word.
          if (event.key !== "Enter" || event.nativeEvent.isComposing || name.trim() === "") return;
          event.preventDefault();
          add();
        }}
        onBlur={add}
      />
      <Button onClick={add}>Add</Button>
    </div>
  );
}
