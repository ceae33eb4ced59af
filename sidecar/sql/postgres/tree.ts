/** Reads the parser's tree, whose nodes are objects `{Kind: {field: …}}`. */

/** The fields of a node. */
export type Tree = Readonly<Record<string, unknown>>;

/** The fields of a value that is an object; of any other, none. */
export function readFields(value: unknown): Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Tree) : {};
}

/** The items of a list, or none. */
export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list of `String` nodes. Another node becomes a text that is no name. */
export function readNames(value: unknown): readonly string[] {
  return readList(value).map((item) => {
    const { String: text } = readFields(item);
    const { sval } = readFields(text);
    return typeof sval === "string" ? sval : "*";
  });
}

/** The text of a field, or null. */
export function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The kind and the fields of a node, or null. */
export function openNode(value: unknown): { readonly kind: string; readonly node: Tree } | null {
  const [entry, ...others] = Object.entries(readFields(value));
  if (entry === undefined || others.length > 0 || !/^[A-Z]/.test(entry[0])) return null;
  return { kind: entry[0], node: readFields(entry[1]) };
}
