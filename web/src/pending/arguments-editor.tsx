/** Editing the arguments of a call: a field for each, or all of them as JSON. */
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { CheckField, TextArea, TextField } from "../ui/field.tsx";
import { hiddenNames } from "../ui/visible-text.ts";
import {
  type Arguments,
  type ArgumentsDraft,
  fieldKind,
  fieldText,
  formBase,
  jsonText,
  turnDraft,
} from "./edited-arguments.ts";

interface ArgumentsEditorProps {
  readonly asked: Arguments;
  readonly draft: ArgumentsDraft;
  readonly onChange: (draft: ArgumentsDraft) => void;
  /** What is wrong, by argument; "" is what belongs to none. */
  readonly faults: Readonly<Record<string, string>>;
}

export function ArgumentsEditor({ asked, draft, onChange, faults }: ArgumentsEditorProps) {
  const [turnFaults, setTurnFaults] = useState<Readonly<Record<string, string>>>({});
  const shown = { ...faults, ...turnFaults };
  const turn = (): void => {
    const next = turnDraft(asked, draft);
    if ("faults" in next) return setTurnFaults(next.faults);
    setTurnFaults({});
    onChange(next);
  };
  const change = (next: ArgumentsDraft): void => {
    setTurnFaults({});
    onChange(next);
  };
  const isForm = draft.view === "form";
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm font-medium">Change what it is called with</p>
        <Button size="small" look="quiet" onClick={turn}>
          {isForm ? "As JSON" : "As a form"}
        </Button>
      </div>
      {isForm ? (
        <Fields asked={asked} draft={draft} onChange={change} faults={shown} />
      ) : (
        <TextArea
          label="Arguments as JSON"
          isCode
          dir="ltr"
          rows={8}
          value={draft.json ?? jsonText(asked)}
          onChange={({ target }) => change({ ...draft, json: target.value })}
          error={Object.entries(shown)
            .map(([name, fault]) => (name === "" ? fault : `${name}: ${fault}`))
            .join("; ")}
          hint={hiddenHint(draft.json ?? jsonText(asked))}
        />
      )}
      {isForm && shown[""] !== undefined ? <p className="text-sm text-danger">{shown[""]}</p> : null}
    </div>
  );
}

function Fields({ asked, draft, onChange, faults }: ArgumentsEditorProps) {
  const base = formBase(asked, draft);
  const names = Object.keys(base);
  if (names.length === 0) return <p className="text-quiet">It has no arguments. Add some as JSON.</p>;
  return names.map((name) => (
    <Field
      key={name}
      name={name}
      value={base[name]}
      typed={draft.touched[name]}
      fault={faults[name]}
      onType={(typed) => onChange({ ...draft, touched: { ...draft.touched, [name]: typed } })}
    />
  ));
}

interface FieldProps {
  readonly name: string;
  readonly value: unknown;
  readonly typed: string | boolean | undefined;
  readonly fault: string | undefined;
  readonly onType: (typed: string | boolean) => void;
}

function Field({ name, value, typed, fault, onType }: FieldProps) {
  const kind = fieldKind(value);
  if (kind === "flag")
    return (
      <CheckField
        label={name}
        checked={typeof typed === "boolean" ? typed : value === true}
        onChange={({ target }) => onType(target.checked)}
        error={fault}
      />
    );
  const text = typeof typed === "string" ? typed : fieldText(value);
  if (kind === "number")
    return (
      <TextField
        label={name}
        inputMode="decimal"
        value={text}
        onChange={({ target }) => onType(target.value)}
        error={fault}
      />
    );
  return (
    <TextArea
      label={kind === "json" ? `${name} (JSON)` : name}
      isCode={kind === "json"}
      dir={kind === "json" ? "ltr" : "auto"}
      rows={1}
      value={text}
      onChange={({ target }) => onType(target.value)}
      error={fault}
      hint={hiddenHint(text)}
    />
  );
}

function hiddenHint(text: string): string | undefined {
  const hidden = hiddenNames(text);
  return hidden.length === 0 ? undefined : `Holds characters that cannot be seen: ${hidden.join(", ")}.`;
}
