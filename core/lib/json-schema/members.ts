/** The keywords about the members of an object. */
import { getOwn } from "../../base/own-field.ts";
import type { Pattern } from "../patterns.ts";
import { isObject, type KeywordContext, readCount, readNames, readObject, type RawSchema } from "./keyword.ts";
import { type Check, NOTE_WORK, type ValuePath, escapeStep, type Run, type SchemaNode, type Seen } from "./run.ts";

/** Work to read a name, besides its characters. */
const NAME_WORK = 16;
const MANY_NAMES = 1_000;

/** `properties`, `patternProperties` and `additionalProperties`, which applies to the remaining names. */
export function createMembersCheck(context: KeywordContext): Check | null {
  const named = listNamedSchemas(context, "properties", (raw, pointer) => context.child(raw, pointer));
  const patterned = listPatternedSchemas(context);
  const raw = context.schema["additionalProperties"];
  const others = raw === undefined ? null : context.child(raw, "/additionalProperties");
  if (named.size === 0 && patterned.length === 0 && others === null) return null;
  const isClosed = raw === false;
  return (value, place, run, seen) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const name of readMemberNames(value, run)) {
      const schemas = listSchemas(name, named, patterned, run);
      if (schemas.length === 0 && isClosed) valid = run.report({ parent: place, key: name }, NO_SUCH_PROPERTY);
      else if (schemas.length === 0 && others !== null) schemas.push(others);
      if (schemas.length === 0) continue;
      if (!holdAll(schemas, getOwn(value, name), { parent: place, key: name }, run)) valid = false;
      note(name, run, seen);
    }
    return valid;
  };
}

/** The error of a member whose name is not allowed. */
const NO_SUCH_PROPERTY = "There is no property of this name";

interface Patterned {
  readonly pattern: Pattern;
  readonly node: SchemaNode;
}

function listSchemas(
  name: string,
  named: ReadonlyMap<string, SchemaNode>,
  patterned: readonly Patterned[],
  run: Run,
): SchemaNode[] {
  const own = named.get(name);
  const schemas = own === undefined ? [] : [own];
  for (const { pattern, node } of patterned) {
    run.spend(pattern.size * (name.length + NAME_WORK));
    if (pattern.test(name)) schemas.push(node);
  }
  return schemas;
}

function holdAll(schemas: readonly SchemaNode[], value: unknown, place: ValuePath, run: Run): boolean {
  let valid = true;
  for (const schema of schemas) {
    if (!run.holds(schema, value, place, null)) valid = false;
  }
  return valid;
}

function listPatternedSchemas(context: KeywordContext): readonly Patterned[] {
  const schemas = listNamedSchemas(context, "patternProperties", (raw, pointer) => context.child(raw, pointer));
  return Array.from(schemas, ([source, node]) => ({
    pattern: context.pattern(source, node.pointer),
    node,
  }));
}

function listNamedSchemas(
  { schema, pointer }: KeywordContext,
  keyword: string,
  compile: (raw: unknown, pointer: string) => SchemaNode,
): ReadonlyMap<string, SchemaNode> {
  const raw = readObject(schema[keyword], `${pointer}/${keyword}`) ?? {};
  return new Map(
    Object.entries(raw).map(([name, inside]) => [name, compile(inside, `/${keyword}${escapeStep(name)}`)]),
  );
}

/** `required`. */
export function createRequiredCheck({ schema, pointer }: KeywordContext): Check | null {
  // Ignores draft 3's true or false at the property.
  const names = typeof schema["required"] === "boolean" ? [] : readNames(schema["required"], `${pointer}/required`);
  if (names === undefined || names.length === 0) return null;
  return (value, place, run) => !isObject(value) || reportMissing(value, names, place, run, "Is missing");
}

function reportMissing(
  value: RawSchema,
  names: readonly string[],
  place: ValuePath | null,
  run: Run,
  message: string,
): boolean {
  run.spend(names.length);
  let valid = true;
  for (const name of names) {
    if (!Object.hasOwn(value, name)) valid = run.report({ parent: place, key: name }, message);
  }
  return valid;
}

/** `minProperties`, `maxProperties` and `propertyNames`. */
export function createNamesCheck(context: KeywordContext): Check | null {
  const min = readCount(context, "minProperties") ?? 0;
  const max = readCount(context, "maxProperties") ?? Number.POSITIVE_INFINITY;
  const raw = context.schema["propertyNames"];
  const nameSchema = raw === undefined ? null : context.child(raw, "/propertyNames");
  if (min === 0 && max === Number.POSITIVE_INFINITY && nameSchema === null) return null;
  return (value, place, run) => {
    if (!isObject(value)) return true;
    const names = Object.keys(value);
    run.spend(NAME_WORK * names.length);
    let valid = true;
    if (names.length < min) valid = run.report(place, `Expected at least ${min} properties, got ${names.length}`);
    if (names.length > max) valid = run.report(place, `Expected at most ${max} properties, got ${names.length}`);
    if (nameSchema === null) return valid;
    for (const name of names) {
      const { valid: fits, problems } = run.tries(nameSchema, name, null, null);
      if (!fits) valid = run.report({ parent: place, key: name }, `The name: ${problems[0]?.message ?? "not allowed"}`);
    }
    return valid;
  };
}

/** `dependentRequired`, `dependentSchemas`, and the older `dependencies`. */
export function createDependentCheck(context: KeywordContext): Check | null {
  const names = new Map<string, readonly string[]>();
  const schemas = new Map<string, SchemaNode>();
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    const raw = readObject(getOwn(context.schema, keyword), `${context.pointer}/${keyword}`) ?? {};
    for (const [name, inside] of Object.entries(raw)) {
      const pointer = `/${keyword}${escapeStep(name)}`;
      const asNames = keyword === "dependentRequired" || (keyword === "dependencies" && Array.isArray(inside));
      if (asNames) names.set(name, readNames(inside, context.pointer + pointer) ?? []);
      else schemas.set(name, context.inPlace(inside, pointer));
    }
  }
  if (names.size === 0 && schemas.size === 0) return null;
  return (value, place, run, seen) => {
    if (!isObject(value)) return true;
    run.spend(names.size + schemas.size);
    let valid = true;
    for (const [name, needed] of names) {
      if (!Object.hasOwn(value, name)) continue;
      if (!reportMissing(value, needed, place, run, `Is missing, and has to stand beside ${JSON.stringify(name)}`))
        valid = false;
    }
    for (const [name, schema] of schemas) {
      if (Object.hasOwn(value, name) && !run.holds(schema, value, place, seen)) valid = false;
    }
    return valid;
  };
}

/**
 * `unevaluatedProperties`: the members that no other keyword evaluated, including those of schemas applied in place.
 */
export function createUnseenMembersCheck(context: KeywordContext): Check | null {
  const raw = context.schema["unevaluatedProperties"];
  if (raw === undefined) return null;
  const node = context.child(raw, "/unevaluatedProperties");
  return (value, place, run, seen: Seen | null) => {
    if (!isObject(value)) return true;
    let valid = true;
    for (const name of readMemberNames(value, run)) {
      if (seen?.names.has(name)) continue;
      const at = { parent: place, key: name };
      if (raw === false) valid = run.report(at, NO_SUCH_PROPERTY);
      else if (!run.holds(node, getOwn(value, name), at, null)) valid = false;
      note(name, run, seen);
    }
    return valid;
  };
}

/** Returns the names of an object's members. V8 stores a large object as a table, which is slower to read. */
function readMemberNames(value: RawSchema, run: Run): readonly string[] {
  const names = Object.keys(value);
  run.spend(names.length * (names.length > MANY_NAMES ? NAME_WORK * 3 : NAME_WORK));
  return names;
}

/** Records an evaluated member, if a schema needs it. */
function note(name: string, run: Run, seen: Seen | null): void {
  if (seen === null) return;
  run.spend(NOTE_WORK);
  seen.names.add(name);
}
