/**
 * Decides by the grammar of Postgres whether a text is exactly one query that only reads. Everything is refused unless it is listed here:
 * kinds of nodes, their fields, functions, types and the schemas of operators. Names of tables and columns: `names.ts`.
 */
import { hasSqlDetails, loadModule, parseSync, type SelectStmt } from "libpg-query";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { getOwn } from "../../../core/base/own-field.ts";
import { POSTGRES_FUNCTIONS, POSTGRES_TYPES } from "../../../core/databases/postgres-names.generated.ts";
import { readFields, readNames, type Tree } from "./tree.ts";

/** Limits the text of a query. */
const MAX_BYTES = 50_000;
/** Limits nested constructs. The parser has a limit of its own, which is far higher. */
const MAX_DEPTH = 200;

/** A query that passed. `text` is the statement alone, without what surrounds it. */
export interface ParsedQuery {
  readonly text: string;
  readonly select: SelectStmt;
}

const NODES = new Set(
  (
    "SelectStmt ResTarget ColumnRef A_Star A_Const A_Expr BoolExpr FuncCall NamedArgExpr TypeCast CollateClause SortBy WindowDef " +
    "RangeVar RangeSubselect RangeFunction JoinExpr SubLink CaseExpr CaseWhen CoalesceExpr MinMaxExpr NullTest BooleanTest " +
    "A_ArrayExpr A_Indirection A_Indices RowExpr GroupingFunc GroupingSet SQLValueFunction CommonTableExpr List String Integer Float"
  ).split(" "),
);

const FIELDS = new Set(
  (
    "targetList name val fields location fromClause whereClause groupClause groupDistinct havingClause windowClause valuesLists " +
    "sortClause limitOffset limitCount limitOption withClause op all larg rarg distinctClause ctes recursive ctename aliascolnames " +
    "ctematerialized ctequery schemaname relname inh relpersistence alias aliasname colnames lateral subquery functions ordinality " +
    "jointype isNatural usingClause quals rtindex kind lexpr rexpr boolop args arg argnumber rexpr_list_start rexpr_list_end " +
    "funcname agg_order agg_filter over agg_within_group agg_star agg_distinct func_variadic funcformat typeName names typemod " +
    "typmods arrayBounds arg_location typeOid setof collname node sortby_dir sortby_nulls useOp refname partitionClause orderClause " +
    "frameOptions startOffset endOffset subLinkType subLinkId testexpr operName subselect defresult expr result nulltesttype " +
    "argisrow booltesttype elements list_start list_end indirection is_slice lidx uidx row_format content typmod " +
    "ival fval sval bsval boolval isnull str items stmt_location stmt_len"
  ).split(" "),
);

/** Loads the parser. It parses synchronously afterwards. */
export async function loadPostgresParser(): Promise<void> {
  await loadModule();
}

/** Parses a query. `functions` are those of the database's own that it may call, as `schema.function`. Call `loadPostgresParser` before. */
export function parseQuery(text: string, functions: readonly string[]): Result<ParsedQuery> {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_BYTES)
    return failed("too_large", `A query has at most ${MAX_BYTES} bytes.`, { field: "query" });
  if (text.includes("\0")) return refuse("It contains a NUL character.");
  if (!text.isWellFormed()) return refuse("It is not valid Unicode.");
  let parsed: ReturnType<typeof parseSync>;
  try {
    parsed = parseSync(text);
  } catch (error) {
    return refuse(`It does not parse: ${hasSqlDetails(error) ? error.message : "the parser gave up"}.`);
  }
  const [only, ...others] = parsed.stmts ?? [];
  if (only === undefined) return refuse("It is empty.");
  if (others.length > 0) return refuse("It has several statements. Send one.");
  const { stmt, stmt_location: start = 0, stmt_len: length } = only;
  if (stmt === undefined || !("SelectStmt" in stmt)) return refuse("Only SELECT and WITH … SELECT can run.");
  const refusal = findRefusal(stmt, new Set(functions), 0);
  if (refusal !== null) return refuse(refusal);
  const end = length === undefined || length === 0 ? bytes.length : start + length;
  return ok({ text: bytes.subarray(start, end).toString(), select: shift(stmt.SelectStmt, start) });
}

/** Moves the byte positions of a statement that does not begin the text. */
function shift(select: SelectStmt, by: number): SelectStmt {
  if (by === 0) return select;
  return JSON.parse(JSON.stringify(select), (key: string, value: unknown) =>
    key === "location" && typeof value === "number" ? value - by : value,
  ) as SelectStmt;
}

/** Returns why a tree is refused; null if all of it is listed. */
function findRefusal(tree: unknown, functions: ReadonlySet<string>, depth: number): string | null {
  if (depth > MAX_DEPTH) return "It is nested too deeply.";
  if (Array.isArray(tree)) return findFirst(tree, (item) => findRefusal(item, functions, depth + 1));
  if (typeof tree !== "object" || tree === null) return null;
  return findFirst(Object.entries(tree), ([key, value]) => {
    const refusal = /^[A-Z]/.test(key) ? judgeNode(key, readFields(value), functions) : judgeField(key, value);
    return refusal ?? findRefusal(value, functions, depth + 1);
  });
}

function findFirst<T>(items: readonly T[], find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

const HINTS: Readonly<Record<string, string>> = {
  intoClause: "INTO is not allowed.",
  lockingClause: "FOR UPDATE and FOR SHARE are not allowed.",
  catalogname: "A table of another database cannot be named.",
};

function judgeField(field: string, value: unknown): string | null {
  if (!FIELDS.has(field)) return getOwn(HINTS, field) ?? `A part of it (${field}) is not supported.`;
  // Fields that hold a node without its kind.
  if (field === "typeName") return judgeType(readFields(value));
  if (field === "operName" || field === "useOp") return judgeOperator(readNames(value));
  if (field === "collname") return judgeOperator(readNames(value));
  return null;
}

function judgeNode(kind: string, node: Tree, functions: ReadonlySet<string>): string | null {
  if (!NODES.has(kind)) return describeKind(kind);
  switch (kind) {
    case "FuncCall":
      return judgeFunction(readNames(node["funcname"]), functions);
    case "A_Expr":
      return judgeOperator(readNames(node["name"]));
    case "CommonTableExpr":
      return "SelectStmt" in readFields(node["ctequery"]) ? null : "WITH may contain SELECT only.";
    case "A_Indirection":
      return isSubscript(node["indirection"]) ? null : "Fields of a composite value are not supported.";
    case "ResTarget":
      return node["indirection"] === undefined ? null : "It is not a query.";
    default:
      return null;
  }
}

function describeKind(kind: string): string {
  if (/^(Insert|Update|Delete|Merge)Stmt$/.test(kind))
    return `${kind.replace("Stmt", "").toUpperCase()} is not allowed.`;
  if (kind === "ParamRef") return "Parameters ($1) are not supported. Write the value.";
  return `The construct ${kind} is not supported.`;
}

/** A name without a schema means pg_catalog, since the session's search path has nothing else. */
function judgeFunction(names: readonly string[], listed: ReadonlySet<string>): string | null {
  const [name = "", schema = "pg_catalog", ...more] = names.toReversed();
  if (more.length === 0 && schema === "pg_catalog" && POSTGRES_FUNCTIONS.has(name)) return null;
  if (more.length === 0 && schema !== "pg_catalog" && listed.has(`${schema}.${name}`)) return null;
  const own = schema === "pg_catalog" ? "" : " An administrator can list it in the database's functions.";
  return `The function ${names.join(".")} is not allowed.${own}`;
}

function judgeType(type: Tree): string | null {
  const names = readNames(type["names"]);
  const [name = "", schema = "pg_catalog", ...more] = names.toReversed();
  const isKnown = more.length === 0 && schema === "pg_catalog" && POSTGRES_TYPES.has(name);
  return isKnown && type["setof"] !== true ? null : `The type ${names.join(".")} is not allowed.`;
}

function judgeOperator(names: readonly string[]): string | null {
  const isBuiltIn = names.length <= 1 || (names.length === 2 && names[0] === "pg_catalog");
  return isBuiltIn ? null : `The name ${names.join(".")} is not allowed: only built-in operators and collations are.`;
}

function isSubscript(indirection: unknown): boolean {
  return Array.isArray(indirection) && indirection.every((part) => "A_Indices" in readFields(part));
}

function refuse(why: string): Result<never> {
  return failed("invalid_input", `The query was not run. ${why}`, { field: "query" });
}
