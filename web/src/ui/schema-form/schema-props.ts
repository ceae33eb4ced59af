/** What the fields of a schema's form are given. */
import type { ComponentType } from "react";
import type { Faults } from "./json-edit.ts";
import type { Schema } from "./schema-resolve.ts";
import type { Field } from "./schema-shape.ts";

/** Where a field stands: in which schema, under which dotted path, how deep. */
export interface FieldPlace {
  readonly root: Schema;
  readonly path: string;
  readonly depth: number;
  readonly faults: Faults;
}

export interface SchemaFieldProps {
  readonly place: FieldPlace;
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** Its frame stands around it already: an object shows its members alone. */
  readonly isBare?: boolean;
  readonly value: unknown;
  /** Undefined takes the value away. */
  readonly onChange: (value: unknown) => void;
}

/** What every shape of field is given. */
export interface ShapeProps extends SchemaFieldProps {
  /** Lays out the fields inside it. */
  readonly Inner: ComponentType<SchemaFieldProps>;
  readonly field: Field;
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | null;
}
