/** The fields of a schema's form that hold one value: text, number, choice, JSON. */
import { useId, useState } from "react";
import { SelectField, TextArea, TextField } from "../field.tsx";
import { readNumber } from "../typed-number.ts";
import { readJson } from "./json-edit.ts";
import type { ShapeProps } from "./schema-props.ts";
import { sameJson } from "./json-value.ts";
import type { Option } from "./schema-shape.ts";

/** Values in a list to choose from; of more, those that fit what is typed are proposed. */
const MAX_OPTIONS = 200;
const MAX_PROPOSED = 50;
/** From this many characters on a text is a long one. */
const LONG = 1_000;
/** Members that hold texts of several lines, as tools name them. */
const LONG_NAMES =
  /^(?:body|code|command|content|data|document|html|input|instructions|markdown|message|prompt|query|script|sql|text)$/;

/** Members that hold one line, however long it may be. */
const LINES = /(?:^|_)(?:url|uri|path|file|filename|name|id|pattern|address)$/i;

export function TextValueField({ field, name, isRequired, label, hint, error, value, onChange }: ShapeProps) {
  const text = typeof value === "string" ? value : "";
  const { shape } = field;
  const most = shape.kind === "text" ? shape.most : Infinity;
  const [isLong, setLong] = useState(
    LONG_NAMES.test(name) || (most >= LONG && Number.isFinite(most) && !LINES.test(name)),
  );
  // Once it has lines it keeps its box, so that the focus stays while the last line break is taken away.
  if (!isLong && text.includes("\n")) setLong(true);
  const common = {
    label,
    hint,
    error,
    value: text,
    dir: "auto",
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange(target.value === "" && !isRequired ? undefined : target.value),
  } as const;
  return isLong ? <TextArea {...common} rows={3} /> : <TextField {...common} autoComplete="off" />;
}

/** What is typed and is no number is kept as text, and it is said at the field. */
export function NumberField({ field: { shape }, label, hint, error, value, onChange }: ShapeProps) {
  const numberOf = (text: string): number | string | undefined => {
    const read = readNumber(text, { isWhole: shape.kind === "number" && shape.isWhole });
    return read.kind === "number" ? read.value : read.kind === "none" ? undefined : text;
  };
  const [draft, setDraft] = useState<string | null>(null);
  const shown = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  // The draft stays while it means the value: "1." is 1, on the way to 1.5.
  const typed = draft !== null && numberOf(draft) === value ? draft : shown;
  return (
    <TextField
      {...{ label, hint, error }}
      inputMode="decimal"
      autoComplete="off"
      value={typed}
      onChange={({ target }) => {
        setDraft(target.value);
        onChange(numberOf(target.value));
      }}
    />
  );
}

/** What stands when none is chosen. */
function notGiven(options: readonly Option[], usual: unknown): string {
  const option = usual === undefined ? undefined : options.find(({ value }) => sameJson(value, usual));
  return option === undefined ? "Not given" : `Not given: ${option.label}`;
}

export function ChoiceField({
  options,
  field,
  label,
  hint,
  error,
  isRequired,
  value,
  onChange,
}: ShapeProps & { readonly options: readonly Option[] }) {
  if (options.length > MAX_OPTIONS) return <ManyChoices {...{ options, label, hint, error, value, onChange }} />;
  const chosen = value === undefined ? -1 : options.findIndex((option) => sameJson(option.value, value));
  return (
    <SelectField
      {...{ label, hint, error }}
      value={String(chosen)}
      onChange={({ target }) => onChange(options[Number(target.value)]?.value)}
    >
      {chosen < 0 || !isRequired ? (
        <option value="-1">{isRequired ? "Choose…" : notGiven(options, field.usual)}</option>
      ) : null}
      {options.map((option, index) => (
        <option key={index} value={index}>
          {option.label}
        </option>
      ))}
    </SelectField>
  );
}

/** Thousands of values: typed, with those proposed that begin so. A value that is not among them is not taken. */
function ManyChoices({
  options,
  label,
  hint,
  error,
  value,
  onChange,
}: Pick<ShapeProps, "label" | "hint" | "error" | "value" | "onChange"> & { readonly options: readonly Option[] }) {
  const listId = useId();
  const present = options.find((option) => value !== undefined && sameJson(option.value, value));
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? present?.label ?? "";
  const proposed = options.filter((option) => option.label.startsWith(text)).slice(0, MAX_PROPOSED);
  return (
    <>
      <TextField
        {...{ label, hint }}
        error={error ?? (text !== "" && present?.label !== text ? "There is no such value." : null)}
        list={listId}
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setTyped(target.value);
          onChange(options.find((option) => option.label === target.value)?.value);
        }}
      />
      <datalist id={listId}>
        {proposed.map((option, index) => (
          <option key={index} value={option.label}>
            {option.label}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** Any JSON. While the text is invalid, the last valid value counts, and the field says so. */
export function JsonField({ label, hint, error, isRequired, value, onChange }: ShapeProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  const read = draft === null || draft.trim() === "" ? null : readJson(draft);
  const stands = draft !== null && (read === null ? value === undefined : !read.ok || sameJson(read.value, value));
  return (
    <TextArea
      isCode
      rows={2}
      label={`${label}, as JSON`}
      hint={hint}
      error={read !== null && !read.ok ? `${read.message} What stood before still holds.` : error}
      required={isRequired}
      value={stands ? draft : written}
      onChange={({ target }) => {
        setDraft(target.value);
        const next = target.value.trim() === "" ? { ok: true, value: undefined } : readJson(target.value);
        if (next.ok) onChange(next.value);
      }}
    />
  );
}
