/** The name that Postgres gives a column of the output without one: https://www.postgresql.org/docs/current/sql-select.html */
import { getOwn } from "../../../core/base/own-field.ts";
import { openNode, readFields, readList, readNames, type Tree } from "./tree.ts";

/** The name of an expression's column; null if it has none that a query could use. */
export function figureName(expression: unknown): string | null {
  const opened = openNode(expression);
  if (opened === null) return null;
  const { kind, node } = opened;
  switch (kind) {
    case "ColumnRef":
      return readNames(node["fields"]).at(-1) ?? null;
    case "FuncCall":
      return readNames(node["funcname"]).at(-1) ?? null;
    case "A_Indirection":
    case "CollateClause":
      return figureName(node["arg"]);
    case "TypeCast":
      return figureName(node["arg"]) ?? readNames(readFields(node["typeName"])["names"]).at(-1) ?? null;
    case "A_Expr":
      return node["kind"] === "AEXPR_NULLIF" ? "nullif" : null;
    case "CaseExpr":
      return figureName(node["defresult"]) ?? "case";
    case "SubLink":
      return figureSubquery(node);
    case "MinMaxExpr":
      return node["op"] === "IS_LEAST" ? "least" : "greatest";
    case "SQLValueFunction":
      return figureValueFunction(String(node["op"]));
    default:
      return getOwn(FIXED, kind) ?? null;
  }
}

const FIXED: Readonly<Record<string, string>> = {
  CoalesceExpr: "coalesce",
  A_ArrayExpr: "array",
  RowExpr: "row",
  GroupingFunc: "grouping",
};

function figureSubquery(node: Tree): string | null {
  switch (node["subLinkType"]) {
    case "EXISTS_SUBLINK":
      return "exists";
    case "ARRAY_SUBLINK":
      return "array";
    case "EXPR_SUBLINK": {
      const select = readFields(readFields(node["subselect"])["SelectStmt"]);
      const { ResTarget: first } = readFields(readList(select["targetList"])[0]);
      const { name, val } = readFields(first);
      return typeof name === "string" ? name : figureName(val);
    }
    default:
      return null;
  }
}

/** `SVFOP_CURRENT_TIMESTAMP_N` becomes `current_timestamp`. */
function figureValueFunction(operation: string): string {
  return operation
    .replace(/^SVFOP_/, "")
    .replace(/_N$/, "")
    .toLowerCase();
}
