/** A form made of a JSON Schema, with a switch to the JSON itself and back. Nothing is lost on the way: the value is the JSON. */
import { Braces, ListTree } from "lucide-react";
import { useId } from "react";
import { Button } from "../button.tsx";
import { TextArea } from "../field.tsx";
import { asFields, asText, type Faults, type Filled, readFilled } from "./json-edit.ts";
import { SchemaField } from "./schema-field.tsx";
import type { Schema } from "./schema-resolve.ts";

/** An empty form. */
export const NOTHING_FILLED: Filled = { value: {}, text: null };

interface SchemaFormProps {
  /** What is filled in, e.g. "Arguments". */
  readonly label: string;
  readonly schema: Schema;
  readonly filled: Filled;
  readonly onChange: (filled: Filled) => void;
  /** What the API refused, by the dotted path of the field inside the value. */
  readonly faults?: Faults;
}

/** `filled` is the parent's: `readFilled` tells whether it is a value yet. */
export function SchemaForm({ label, schema, filled, onChange, faults = {} }: SchemaFormProps) {
  const id = useId();
  const read = readFilled(filled);
  const isText = filled.text !== null;
  return (
    <div role="group" aria-labelledby={id} className="flex min-w-0 flex-col gap-4">
      <div className="flex items-center justify-between gap-3">
        <p id={id} className="font-semibold">
          {label}
        </p>
        <Button
          size="small"
          look="quiet"
          disabled={isText && !read.ok}
          icon={isText ? <ListTree aria-hidden className="size-4" /> : <Braces aria-hidden className="size-4" />}
          onClick={() => onChange(isText ? asFields(filled) : asText(filled))}
        >
          {isText ? "As a form" : "As JSON"}
        </Button>
      </div>
      {isText ? (
        <TextArea
          isCode
          rows={10}
          label={`${label} as JSON`}
          hidesLabel
          value={filled.text ?? ""}
          onChange={({ target }) => onChange({ ...filled, text: target.value })}
          error={read.ok ? allFaults(faults) : read.message}
        />
      ) : (
        <SchemaField
          place={{ root: schema, path: "", depth: 0, faults }}
          name={label}
          schema={schema}
          isRequired
          isBare
          value={filled.value}
          onChange={(value) => onChange({ value: value === undefined ? {} : value, text: null })}
        />
      )}
    </div>
  );
}

function allFaults(faults: Faults): string | null {
  const said = Object.entries(faults).map(([at, message]) => (at === "" ? message : `${at}: ${message}`));
  return said.length === 0 ? null : said.join("; ");
}
