/**
 * Resolves every table and column of a query as Postgres does, and refuses what the database's lists do not open. `*`, whole rows, USING
 * and NATURAL are expanded. A name that does not resolve is refused, because Postgres would look for a function of that name.
 *
 * Invariants:
 * 1. A closed column is never part of a source's output, so a subquery can only pass on open ones.
 * 2. Every table of the query that runs has its schema in front, so that its meaning does not depend on a search path.
 */
import type { SelectStmt } from "libpg-query";
import { type ErrorCode, failed, ok, type Result } from "../../../core/base/errors.ts";
import { findNearest } from "../../../core/base/nearest.ts";
import { getOwn } from "../../../core/base/own-field.ts";
import { figureName } from "./column-name.ts";
import { findFunctionColumns } from "./function-columns.ts";
import { openNode, readFields, readList, readNames, readText, type Tree } from "./tree.ts";

/** A column of a table, and whether the lists open it. */
export interface TableColumn {
  readonly name: string;
  readonly isOpen: boolean;
}

/** A table that queries may read. */
export interface OpenTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly TableColumn[];
}

/** The open tables that a query may mean. `path`: the schemas in which a name without one is looked up, in order. */
export interface OpenTables {
  readonly path: readonly string[];
  readonly tables: readonly OpenTable[];
  /** Names for messages. */
  readonly known: readonly string[];
}

/** A table, a subquery, a function or a join in FROM. `schema`: of a table without an alias. A column without a name cannot be named. */
interface Source {
  readonly alias: string | null;
  readonly schema: string | null;
  readonly columns: readonly { readonly name: string | null; readonly isOpen: boolean }[];
}

/** The sources of one level of the query, and the level around it. */
interface Scope {
  readonly sources: readonly Source[];
  readonly parent: Scope | null;
}

/** Where a part of the query stands: the common table expressions that it sees, with their columns, and the scope. */
interface Place {
  readonly ctes: ReadonlyMap<string, readonly (string | null)[]>;
  readonly scope: Scope | null;
}

const NO_SOURCES: readonly Source[] = [];
const MAX_KNOWN = 30;

/** Checks the names of a query and returns its text with a schema before each table. */
export function qualifyTables(text: string, select: SelectStmt, tables: OpenTables): Result<string> {
  const check = new NameCheck(tables);
  check.readSelect(select as Tree, { ctes: new Map(), scope: null });
  if (check.failure !== null) return check.failure;
  let bytes = Buffer.from(text);
  for (const [at, added] of [...check.insertions].toSorted(([one], [other]) => other - one))
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at)]);
  return ok(bytes.toString());
}

/** One pass over a query. The first problem is the failure; the rest of the pass then has no meaning. */
class NameCheck {
  failure: Result<never> | null = null;
  /** Texts to insert, by byte of the query. */
  readonly insertions = new Map<number, string>();
  private readonly tables: OpenTables;

  constructor(tables: OpenTables) {
    this.tables = tables;
  }

  /** Checks a SELECT and returns the names of its columns. */
  readSelect(select: Tree, outer: Place): readonly (string | null)[] {
    const place = this.addCtes(readFields(select["withClause"]), outer);
    if (select["larg"] !== undefined) return this.readSetOperation(select, place);
    if (select["valuesLists"] !== undefined) return this.readValues(select, place);
    const sources = this.readFrom(readList(select["fromClause"]), place);
    const inside: Place = { ctes: place.ctes, scope: { sources, parent: place.scope } };
    const output = readList(select["targetList"]).flatMap((target) => this.readTarget(target, inside));
    for (const part of ["whereClause", "havingClause", "windowClause", "limitCount", "limitOffset"])
      this.walk(getOwn(select, part), inside);
    for (const item of readList(select["groupClause"])) this.readGroup(item, output, inside);
    for (const item of [...readList(select["sortClause"]), ...readList(select["distinctClause"])])
      this.readSort(item, output, inside);
    return output;
  }

  private addCtes({ ctes, recursive }: Tree, place: Place): Place {
    const known = new Map(place.ctes);
    for (const item of readList(ctes)) {
      const cte = readFields(readFields(item)["CommonTableExpr"]);
      const name = readText(cte["ctename"]) ?? "";
      // Without its expression in scope, Postgres would look for such a name among the system's tables.
      if (name.startsWith("pg_")) this.refuse("invalid_input", `WITH must not define the name ${name}.`);
      const query = readFields(readFields(cte["ctequery"])["SelectStmt"]);
      const renamed = readNames(cte["aliascolnames"]);
      if (recursive === true) known.set(name, rename(this.readFirstArm(query, { ...place, ctes: known }), renamed));
      const columns = this.readSelect(query, { ctes: new Map(known), scope: place.scope });
      known.set(name, rename(columns, renamed));
    }
    return { ...place, ctes: known };
  }

  /** The columns of a recursive query are those of its part that is not recursive. */
  private readFirstArm(query: Tree, place: Place): readonly (string | null)[] {
    const { larg } = query;
    return larg === undefined ? [] : this.readSelect(readFields(larg), place);
  }

  private readSetOperation(select: Tree, place: Place): readonly (string | null)[] {
    const output = this.readSelect(readFields(select["larg"]), place);
    this.readSelect(readFields(select["rarg"]), place);
    const columns = output.map((name) => ({ name, isOpen: true }));
    const scope = { sources: [{ alias: null, schema: null, columns }], parent: place.scope };
    for (const part of ["sortClause", "limitCount", "limitOffset"])
      this.walk(getOwn(select, part), { ...place, scope });
    return output;
  }

  private readValues(select: Tree, place: Place): readonly (string | null)[] {
    const rows = readList(select["valuesLists"]);
    const names = readList(readFields(readFields(rows[0])["List"])["items"]).map((_, index) => `column${index + 1}`);
    const columns = names.map((name) => ({ name, isOpen: true }));
    this.walk(rows, { ...place, scope: { sources: NO_SOURCES, parent: place.scope } });
    const scope = { sources: [{ alias: "*VALUES*", schema: null, columns }], parent: place.scope };
    for (const part of ["sortClause", "limitCount", "limitOffset"])
      this.walk(getOwn(select, part), { ...place, scope });
    return names;
  }

  /** A part of FROM sees the ones before it only if it is LATERAL. */
  private readFrom(items: readonly unknown[], place: Place): readonly Source[] {
    return items.reduce<readonly Source[]>(
      (before, item) => [...before, ...this.readSource(item, place, before)],
      NO_SOURCES,
    );
  }

  private readSource(item: unknown, place: Place, before: readonly Source[]): readonly Source[] {
    const opened = openNode(item);
    const node = opened?.node ?? {};
    const beside = { ...place, scope: { sources: before, parent: place.scope } };
    switch (opened?.kind) {
      case "RangeVar":
        return [this.readTable(node, place)];
      case "RangeSubselect": {
        const query = readFields(readFields(node["subquery"])["SelectStmt"]);
        const columns = this.readSelect(query, node["lateral"] === true ? beside : place);
        return [toSource(node["alias"], null, toOpenColumns(columns))];
      }
      case "RangeFunction":
        return [this.readFunction(node, beside)];
      case "JoinExpr":
        return this.readJoin(node, place, before);
      default:
        this.refuse("invalid_input", "A part of FROM is not supported.");
        return NO_SOURCES;
    }
  }

  private readTable(node: Tree, { ctes }: Place): Source {
    const [schema, name] = [readText(node["schemaname"]), readText(node["relname"]) ?? ""];
    const cte = schema === null ? ctes.get(name) : undefined;
    if (cte !== undefined) return toSource(node["alias"], name, toOpenColumns(cte));
    const table = this.findTable(schema, name);
    if (table === null) {
      this.refuse("not_found", this.describeUnknownTable(schema === null ? name : `${schema}.${name}`));
      return toSource(node["alias"], name, []);
    }
    if (schema === null) this.insertions.set(Number(node["location"] ?? 0), `${quoteName(table.schema)}.`);
    const source = toSource(node["alias"], name, table.columns);
    return node["alias"] === undefined ? { ...source, schema: table.schema } : source;
  }

  private findTable(schema: string | null, name: string): OpenTable | null {
    const { path, tables } = this.tables;
    for (const place of schema === null ? path : [schema]) {
      const found = tables.find((table) => table.schema === place && table.name === name);
      if (found !== undefined) return found;
    }
    return null;
  }

  private describeUnknownTable(name: string): string {
    const { known } = this.tables;
    const nearest = findNearest(name, known);
    const listed = known.length <= MAX_KNOWN || nearest === null ? known.slice(0, MAX_KNOWN) : [nearest];
    const list = listed.length === 0 ? "It opens no table." : `It opens: ${listed.join(", ")}.`;
    return `The database opens no table ${name} to queries. ${list}`;
  }

  private readFunction(node: Tree, beside: Place): Source {
    this.walk(node["functions"], beside);
    const found = findFunctionColumns(node);
    if (found === null) this.refuse("invalid_input", "A function in FROM is not supported. Call it in SELECT.");
    return toSource(node["alias"], found?.name ?? null, toOpenColumns(found?.columns ?? []));
  }

  private readJoin(node: Tree, place: Place, before: readonly Source[]): readonly Source[] {
    const left = this.readSource(node["larg"], place, before);
    const right = this.readSource(node["rarg"], place, [...before, ...left]);
    const sources = [...left, ...right];
    const joined = { ...place, scope: { sources, parent: place.scope } };
    if (node["isNatural"] === true) for (const source of sources) this.requireAllOpen(source);
    for (const name of readNames(node["usingClause"])) this.requireColumn(name, joined);
    this.walk(node["quals"], joined);
    if (node["alias"] === undefined) return sources;
    const isMerged = node["isNatural"] === true || node["usingClause"] !== undefined;
    if (isMerged && readFields(node["alias"])["colnames"] !== undefined)
      this.refuse("invalid_input", "Names for the columns of a join with USING or NATURAL are not supported.");
    return [
      toSource(
        node["alias"],
        null,
        sources.flatMap(({ columns }) => columns),
      ),
    ];
  }

  /** Returns the names that an item of SELECT adds to the output. */
  private readTarget(item: unknown, place: Place): readonly (string | null)[] {
    const target = readFields(readFields(item)["ResTarget"]);
    const { ColumnRef: column } = readFields(target["val"]);
    const names = readNames(readFields(column)["fields"]);
    if (column !== undefined && isStar(readFields(column)["fields"])) return this.expandStar(names, place);
    this.walk(target["val"], place);
    return [readText(target["name"]) ?? figureName(target["val"])];
  }

  private expandStar(names: readonly string[], place: Place): readonly (string | null)[] {
    const qualifier = names.slice(0, -1);
    const sources = qualifier.length === 0 ? (place.scope?.sources ?? []) : [this.findSource(qualifier, place)];
    return sources.flatMap((source) => {
      if (source === null) {
        this.refuse("invalid_input", `There is no table ${qualifier.join(".")} in this part of the query.`);
        return [];
      }
      this.requireAllOpen(source);
      return source.columns.map(({ name }) => name);
    });
  }

  /** GROUP BY prefers a column of this level to a name of the output. */
  private readGroup(item: unknown, output: readonly (string | null)[], place: Place): void {
    const { GroupingSet: set } = readFields(item);
    if (set !== undefined) {
      for (const part of readList(readFields(set)["content"])) this.readGroup(part, output, place);
      return;
    }
    const name = readBareName(item);
    const isColumn = (place.scope?.sources ?? []).some(({ columns }) => columns.some((column) => column.name === name));
    if (name === null || isColumn || !output.includes(name)) this.walk(item, place);
  }

  /** ORDER BY and DISTINCT ON prefer a name of the output. */
  private readSort(item: unknown, output: readonly (string | null)[], place: Place): void {
    const { SortBy: sort } = readFields(item);
    const name = readBareName(sort === undefined ? item : readFields(sort)["node"]);
    if (name === null || !output.includes(name)) this.walk(item, place);
  }

  /** Checks every column and subquery of an expression. */
  private walk(value: unknown, place: Place): void {
    if (this.failure !== null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.walk(item, place);
      return;
    }
    for (const [key, part] of Object.entries(readFields(value))) {
      if (key === "SelectStmt") this.readSelect(readFields(part), place);
      else if (key === "ColumnRef") this.resolve(readFields(part)["fields"], place);
      else this.walk(part, place);
    }
  }

  private resolve(fields: unknown, place: Place): void {
    const names = readNames(fields);
    if (isStar(fields)) this.expandStar(names, place);
    else if (names.length === 1) this.requireColumn(names[0] ?? "", place);
    else this.requireQualified(names, place);
  }

  /** A name alone: a column of the nearest level that has it, otherwise a whole row. */
  private requireColumn(name: string, place: Place): void {
    for (let scope = place.scope; scope !== null; scope = scope.parent) {
      const having = scope.sources.filter(({ columns }) => columns.some((column) => column.name === name));
      if (having.some((source) => isClosed(source, name))) return this.refuseColumn(having);
      if (having.length > 0) return;
    }
    const row = this.findSource([name], place);
    if (row === null) return this.refuse("invalid_input", `There is no column ${name} in this part of the query.`);
    this.requireAllOpen(row);
  }

  private requireQualified(names: readonly string[], place: Place): void {
    const [name = "", ...qualifier] = names.toReversed();
    const source = this.findSource(qualifier.toReversed(), place);
    if (source === null || !source.columns.some((column) => column.name === name))
      return this.refuse("invalid_input", `There is no column ${names.join(".")} in this part of the query.`);
    if (isClosed(source, name)) this.refuseColumn([source]);
  }

  /** Finds the source with this alias, or this schema and table, in the nearest level that has it. */
  private findSource(qualifier: readonly string[], place: Place): Source | null {
    const [alias = "", schema, ...more] = qualifier.toReversed();
    if (more.length > 0) return null;
    for (let scope = place.scope; scope !== null; scope = scope.parent) {
      const found = scope.sources.find(
        (source) => source.alias === alias && (schema === undefined || source.schema === schema),
      );
      if (found !== undefined) return found;
    }
    return null;
  }

  private requireAllOpen({ columns }: Source): void {
    if (columns.every(({ isOpen }) => isOpen)) return;
    const why = "`*`, a whole row or NATURAL would read columns that this database's lists close to queries.";
    this.refuse("permission_denied", `${why} ${describeOpen(columns)}`);
  }

  private refuseColumn(sources: readonly Source[]): void {
    const why = "It names a column that this database's lists close to queries.";
    this.refuse("permission_denied", `${why} ${describeOpen(sources.flatMap(({ columns }) => columns))}`);
  }

  private refuse(code: ErrorCode & ("invalid_input" | "not_found" | "permission_denied"), why: string): void {
    this.failure ??= failed(code, `The query was not run. ${why}`, { field: "query" });
  }
}

function isClosed({ columns }: Source, name: string): boolean {
  return columns.some((column) => column.name === name && !column.isOpen);
}

/** What a refusal says of closed columns: the open ones. A closed one is never named, because a model reads the refusal. */
function describeOpen(columns: Source["columns"]): string {
  const closed = new Set(columns.filter(({ isOpen }) => !isOpen).map(({ name }) => name));
  const open = columns.flatMap(({ name }) => (name === null || closed.has(name) ? [] : [name]));
  const listed = [...new Set(open)].slice(0, MAX_KNOWN).join(", ");
  return listed === "" ? "No column is open here." : `Name the columns that you need: ${listed}.`;
}

/** A source with an alias, whose names for columns replace the first ones. */
function toSource(alias: unknown, name: string | null, columns: Source["columns"]): Source {
  const given = readFields(alias);
  const names = readNames(given["colnames"]);
  const renamed = columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
  return { alias: readText(given["aliasname"]) ?? name, schema: null, columns: renamed };
}

function toOpenColumns(names: readonly (string | null)[]): Source["columns"] {
  return names.map((name) => ({ name, isOpen: true }));
}

function rename(columns: readonly (string | null)[], names: readonly string[]): readonly (string | null)[] {
  return columns.map((column, index) => names[index] ?? column);
}

/** The name of an expression that is a single name; null for any other. */
function readBareName(item: unknown): string | null {
  const { ColumnRef: column } = readFields(item);
  const { fields } = readFields(column);
  const names = readNames(fields);
  return names.length === 1 && !isStar(fields) ? (names[0] ?? null) : null;
}

function isStar(fields: unknown): boolean {
  return "A_Star" in readFields(readList(fields).at(-1));
}

/** A name as a query writes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
