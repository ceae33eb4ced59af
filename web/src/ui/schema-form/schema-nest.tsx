/** The fields of a schema's form that hold others: objects, maps, lists, and values of several kinds. */
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button, IconButton } from "../button.tsx";
import { SelectField, TextField } from "../field.tsx";
import {
  faultsAt,
  freeName,
  memberOf,
  moved,
  pathTo,
  renamed,
  withItem,
  withMember,
  withoutItem,
} from "./json-edit.ts";
import type { FieldPlace, ShapeProps } from "./schema-props.ts";
import { isJson } from "./json-value.ts";
import type { Schema } from "./schema-resolve.ts";
import { type Branch, branchOf, type Member, type Shape, starterOf } from "./schema-shape.ts";
import { plainFault } from "./schema-words.ts";

/** Fields that are laid out at once. */
const SHOWN_AT_ONCE = 40;

type ShapeOf<K extends Shape["kind"]> = Extract<Shape, { readonly kind: K }>;

export function ObjectField(props: ShapeProps & { readonly shape: ShapeOf<"object"> }) {
  const { shape, place, value, isBare = false, isRequired, label, onChange, Inner } = props;
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  // What nobody has to give is laid out once it is given: a schema may hold itself.
  if (!isBare && value === undefined && (!isRequired || place.depth > 3))
    return <Absent {...props} onAdd={() => onChange(starterOf(place.root, props.schema))} />;
  const object = isJson(value) ? value : {};
  const members = inOrder(shape.members, object);
  const shown = members.slice(0, limit);
  const known = new Set(shape.members.map(({ name }) => name));
  const others = Object.keys(object).filter((name) => !known.has(name));
  const paths = [...shown.map(({ name }) => name), ...others].map((name) => pathTo(place.path, name));
  const change = (name: string, member: unknown) => onChange(withMember(object, name, member));
  return (
    <Frame {...props} error={faultsAt(place.faults, place.path, paths)} onRemove={removal(props)}>
      {shown.map(({ name, schema, isRequired: needed }) => (
        <Inner
          key={name}
          place={inside(place, name)}
          {...{ name, schema }}
          isRequired={needed}
          value={memberOf(object, name)}
          onChange={(member) => change(name, member)}
        />
      ))}
      {members.length > limit ? (
        <Button size="small" className="self-start" onClick={() => setLimit(limit + SHOWN_AT_ONCE)}>
          {`Show ${Math.min(SHOWN_AT_ONCE, members.length - limit)} of ${members.length - limit} more fields`}
        </Button>
      ) : null}
      <OtherMembers {...{ place, object, others, onChange, label, Inner }} rest={shape.rest} />
      {members.length === 0 && others.length === 0 && shape.rest === null ? (
        <p className="text-sm text-quiet">There is nothing to fill in.</p>
      ) : null}
    </Frame>
  );
}

/** Those first that are needed; of so many that not all are laid out, those too that are given. */
function inOrder(members: readonly Member[], object: Readonly<Record<string, unknown>>): readonly Member[] {
  const isLong = members.length > SHOWN_AT_ONCE;
  const isFirst = ({ name, isRequired }: Member) => isRequired || (isLong && Object.hasOwn(object, name));
  return [...members.filter(isFirst), ...members.filter((member) => !isFirst(member))];
}

/** Members of names that the schema does not list. */
function OtherMembers({
  place,
  object,
  others,
  rest,
  label,
  onChange,
  Inner,
}: Pick<ShapeProps, "place" | "label" | "onChange" | "Inner"> & {
  readonly object: Readonly<Record<string, unknown>>;
  readonly others: readonly string[];
  readonly rest: Schema | null;
}) {
  return (
    <>
      {others.slice(0, SHOWN_AT_ONCE).map((name, index) => (
        // The place, not the name, is what stays while a name is typed.
        <div key={index} className="flex flex-col gap-2 rounded-md border border-line p-3">
          <div className="flex items-end gap-2">
            <TextField
              className="flex-1"
              label="Name"
              value={name}
              hint={rest === null ? "The schema has no such field." : undefined}
              onChange={({ target }) => onChange(renamed(object, name, target.value))}
            />
            <IconButton label={`Remove ${name}`} onClick={() => onChange(withMember(object, name, undefined))}>
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </div>
          <Inner
            place={inside(place, name)}
            name="Value"
            schema={rest ?? true}
            isRequired
            value={object[name]}
            onChange={(member) => onChange(withMember(object, name, member ?? null))}
          />
        </div>
      ))}
      {others.length > SHOWN_AT_ONCE ? (
        <p className="text-sm text-quiet">{`${others.length - SHOWN_AT_ONCE} more; see them as JSON.`}</p>
      ) : null}
      {rest === null ? null : (
        <Button
          size="small"
          className="self-start"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => onChange(withMember(object, freeName(object, "name"), starterOf(place.root, rest)))}
        >
          {`Add a field to ${label.replace(" (optional)", "")}`}
        </Button>
      )}
    </>
  );
}

export function ListField(props: ShapeProps & { readonly shape: ShapeOf<"list"> }) {
  const { shape, place, value, name, isRequired, label, onChange, Inner } = props;
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const schemaAt = (at: number): Schema => shape.first[at] ?? shape.rest ?? true;
  const isFull = items.length >= shape.most || (shape.rest === null && items.length >= shape.first.length);
  const paths = items.slice(0, limit).map((_, at) => pathTo(place.path, at));
  const add = () => onChange([...items, starterOf(place.root, schemaAt(items.length))]);
  const error = faultsAt(place.faults, place.path, paths) ?? plainFault(props.field, value);
  return (
    <Frame {...props} isBare={false} error={error} onRemove={removal(props)}>
      {items.slice(0, limit).map((item, at) => (
        <div key={at} className="flex flex-col gap-1 sm:flex-row sm:items-start sm:gap-2">
          <div className="min-w-0 flex-1">
            <Inner
              place={inside(place, at)}
              name={`${name} ${at + 1}`}
              schema={schemaAt(at)}
              isRequired
              value={item}
              onChange={(next) => onChange(withItem(items, at, next ?? null))}
            />
          </div>
          <div className="flex shrink-0 self-end sm:self-auto sm:pt-6">
            <IconButton
              label={`Move ${name} ${at + 1} up`}
              disabled={at === 0}
              onClick={() => onChange(moved(items, at, -1))}
            >
              <ArrowUp aria-hidden className="size-4" />
            </IconButton>
            <IconButton
              label={`Move ${name} ${at + 1} down`}
              disabled={at === items.length - 1}
              onClick={() => onChange(moved(items, at, 1))}
            >
              <ArrowDown aria-hidden className="size-4" />
            </IconButton>
            <IconButton
              label={`Remove ${name} ${at + 1}`}
              onClick={() => onChange(items.length === 1 && !isRequired ? undefined : withoutItem(items, at))}
            >
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </div>
        </div>
      ))}
      {items.length > limit ? (
        <Button size="small" className="self-start" onClick={() => setLimit(limit + SHOWN_AT_ONCE)}>
          {`Show ${Math.min(SHOWN_AT_ONCE, items.length - limit)} of ${items.length - limit} more`}
        </Button>
      ) : null}
      <Button
        size="small"
        className="self-start"
        disabled={isFull}
        icon={<Plus aria-hidden className="size-4" />}
        onClick={add}
      >
        {`Add to ${label.replace(" (optional)", "")}`}
      </Button>
    </Frame>
  );
}

/** One of several kinds. What was filled in of one kind is there again when one comes back to it. */
export function EitherField(props: ShapeProps & { readonly branches: readonly Branch[] }) {
  const { branches, place, name, label, hint, isRequired, value, onChange, Inner } = props;
  const found = value === undefined ? -1 : branchOf(place.root, branches, value);
  const [chosen, setChosen] = useState<number | null>(null);
  const [left, setLeft] = useState<Readonly<Record<number, unknown>>>({});
  const current = chosen ?? (found >= 0 ? found : isRequired ? 0 : -1);
  const branch = branches[current];
  const choose = (next: number) => {
    setLeft({ ...left, [current]: value });
    setChosen(next);
    const schema = branches[next]?.schema;
    onChange(schema === undefined ? undefined : (left[next] ?? starterOf(place.root, schema)));
  };
  return (
    <Frame {...props} isBare={false} hint={undefined} error={null} onRemove={null}>
      <SelectField
        label={`Kind of ${name}`}
        hint={hint}
        value={current}
        onChange={({ target }) => choose(Number(target.value))}
      >
        {isRequired ? null : <option value={-1}>Not given</option>}
        {branches.map((one, index) => (
          <option key={`${index} ${one.label}`} value={index}>
            {one.label}
          </option>
        ))}
      </SelectField>
      {branch === undefined ? null : (
        <Inner
          key={current}
          place={{ ...place, depth: place.depth + 1 }}
          name={label.replace(" (optional)", "")}
          schema={branch.schema}
          isRequired
          isBare
          value={value}
          onChange={onChange}
        />
      )}
    </Frame>
  );
}

function inside(place: FieldPlace, name: string | number): FieldPlace {
  return { ...place, path: pathTo(place.path, name), depth: place.depth + 1 };
}

/** Taking away what nobody has to give; null: it has to stay. */
function removal({ isRequired, isBare = false, value, onChange }: ShapeProps): (() => void) | null {
  return isRequired || isBare || value === undefined ? null : () => onChange(undefined);
}

function Absent({ label, hint, error, onAdd }: ShapeProps & { readonly onAdd: () => void }) {
  return (
    <div className="flex flex-col items-start gap-1">
      <Button size="small" icon={<Plus aria-hidden className="size-4" />} onClick={onAdd}>
        {`Add ${label.replace(" (optional)", "")}`}
      </Button>
      {hint === undefined ? null : <p className="text-sm text-quiet">{hint}</p>}
      {error === null ? null : <p className="text-sm text-danger">{error}</p>}
    </div>
  );
}

/** A named group of fields. */
function Frame({
  label,
  hint,
  error,
  isBare = false,
  onRemove,
  children,
}: Pick<ShapeProps, "label" | "hint" | "isBare"> & {
  readonly error: string | null;
  readonly onRemove: (() => void) | null;
  readonly children: ReactNode;
}) {
  const id = useId();
  const fault = error === null ? null : <p className="text-sm text-danger">{error}</p>;
  if (isBare)
    return (
      <div className="flex flex-col gap-4">
        {fault}
        {children}
      </div>
    );
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-3 border-l-2 border-line pl-3">
      <div className="flex items-start justify-between gap-2">
        <div>
          <p id={id} className="text-sm font-medium">
            {label}
          </p>
          {hint === undefined ? null : <p className="text-sm text-quiet">{hint}</p>}
        </div>
        {onRemove === null ? null : (
          <IconButton label={`Remove ${label.replace(" (optional)", "")}`} onClick={onRemove}>
            <Trash2 aria-hidden className="size-4" />
          </IconButton>
        )}
      </div>
      {fault}
      {children}
    </div>
  );
}
