/** One field of a form that a JSON Schema asks for: by its shape, or a box of JSON where no field can show the value. */
import { useMemo } from "react";
import { CheckField, SelectField } from "../field.tsx";
import { faultsAt } from "./json-edit.ts";
import { ChoiceField, JsonField, NumberField, TextValueField } from "./schema-leaf.tsx";
import { EitherField, ListField, ObjectField } from "./schema-nest.tsx";
import type { SchemaFieldProps, ShapeProps } from "./schema-props.ts";
import { type Field, fieldOf, shows } from "./schema-shape.ts";
import { formatInWords, plainFault } from "./schema-words.ts";

/** Fields inside fields that are laid out; below that there is a box of JSON. */
const MAX_DEPTH = 8;
/** Characters of a description that stand below a field. */
const MAX_HINT = 600;

export function SchemaField(props: SchemaFieldProps) {
  const { place, name, schema, isRequired, value, onChange } = props;
  const field = useMemo(() => fieldOf(place.root, schema), [place.root, schema]);
  const label = `${field.title ?? name}${isRequired ? "" : " (optional)"}`;
  const common: ShapeProps = {
    ...props,
    Inner: SchemaField,
    field,
    label,
    hint: formatHint(field),
    error: faultsAt(place.faults, place.path) ?? plainFault(field, value),
  };
  if (place.depth > MAX_DEPTH || !shows(place.root, field, value)) return <JsonField {...common} />;
  if (!field.isNullable) return <ShapeField {...common} />;
  return (
    <div className="flex flex-col gap-2">
      {value === null ? <p className="text-sm font-medium">{label}</p> : <ShapeField {...common} />}
      <CheckField
        label={`${field.title ?? name}: nothing (null)`}
        checked={value === null}
        onChange={({ target }) => onChange(target.checked ? null : undefined)}
      />
    </div>
  );
}

function ShapeField(props: ShapeProps) {
  const { field, label, hint, error, isRequired, value, onChange } = props;
  switch (field.shape.kind) {
    case "text":
      return <TextValueField {...props} />;
    case "number":
      return <NumberField {...props} />;
    case "choice":
      return <ChoiceField {...props} options={field.shape.options} />;
    case "flag":
      return isRequired ? (
        <CheckField
          {...{ label, hint, error }}
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      ) : (
        <SelectField
          {...{ label, hint, error }}
          value={typeof value === "boolean" ? String(value) : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}
        >
          <option value="">Not given</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </SelectField>
      );
    case "nothing":
      return (
        <CheckField
          {...{ label: `${label}: nothing (null)`, hint, error }}
          checked={value === null}
          onChange={({ target }) => onChange(target.checked ? null : undefined)}
        />
      );
    case "object":
      return <ObjectField {...props} shape={field.shape} />;
    case "list":
      return <ListField {...props} shape={field.shape} />;
    case "either":
      return <EitherField {...props} branches={field.shape.branches} />;
    case "json":
      return <JsonField {...props} />;
  }
}

/** The description, what form the text has, and what stands when nothing is given. */
function formatHint({ description, usual, shape }: Field): string | undefined {
  const said = [
    description === null ? null : asSentence(cut(description)),
    shape.kind === "text" && shape.format !== null ? `A ${formatInWords(shape.format)}.` : null,
    usual === undefined || shape.kind === "choice" || MEANS_NOTHING.has(JSON.stringify(usual))
      ? null
      : `Without it: ${cut(JSON.stringify(usual), 80)}.`,
  ].filter((one) => one !== null);
  return said.length === 0 ? undefined : said.join(" ");
}

/** Usual values that say no more than that nothing is given. */
const MEANS_NOTHING: ReadonlySet<string> = new Set(["null", "{}", "[]", '""']);

function asSentence(text: string): string {
  return /[.!?…:]$/.test(text.trim()) ? text : `${text}.`;
}

function cut(text: string, most = MAX_HINT): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
