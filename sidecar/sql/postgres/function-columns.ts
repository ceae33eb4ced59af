/** The columns of a function in FROM. A function that is not listed here cannot be used there. */
import { getOwn } from "../../../core/base/own-field.ts";
import { readFields, readList, readNames, type Tree } from "./tree.ts";

/** Functions that return two columns, and functions whose one column has a name of its own. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  json_each: ["key", "value"],
  json_each_text: ["key", "value"],
  jsonb_each: ["key", "value"],
  jsonb_each_text: ["key", "value"],
  json_array_elements: ["value"],
  json_array_elements_text: ["value"],
  jsonb_array_elements: ["value"],
  jsonb_array_elements_text: ["value"],
};

/** Functions whose one column has the name of the alias, or of the function. */
const SCALAR = new Set(
  (
    "generate_series generate_subscripts unnest json_object_keys jsonb_object_keys regexp_matches regexp_split_to_table " +
    "string_to_table jsonb_path_query jsonb_path_query_tz"
  ).split(" "),
);

/** Returns the function's name and its columns. Null for one that is not supported, and for several in one ROWS FROM. */
export function findFunctionColumns(node: Tree): { readonly name: string; readonly columns: readonly string[] } | null {
  const [only, ...others] = readList(node["functions"]);
  const [call] = readList(readFields(readFields(only)["List"])["items"]);
  const { FuncCall: fields } = readFields(call);
  const name = readNames(readFields(fields)["funcname"]).at(-1);
  if (name === undefined || others.length > 0 || node["coldeflist"] !== undefined) return null;
  const { aliasname } = readFields(node["alias"]);
  const named = getOwn(NAMED, name) ?? (SCALAR.has(name) ? [typeof aliasname === "string" ? aliasname : name] : null);
  if (named === null) return null;
  return { name, columns: node["ordinality"] === true ? [...named, "ordinality"] : named };
}
