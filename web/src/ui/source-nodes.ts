/** Finds `[Source 3]` and `[Sources 3, 4 and 7]` in what the parser of Markdown read, and makes an element of each name. */

/** A node of what the parser made (https://github.com/syntax-tree/hast). */
interface ReadNode {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: object;
  readonly value?: string;
  children?: readonly ReadNode[];
}

const NAMED = /\[sources? \d{1,7}(?:(?:, and |, | and | & )\d{1,7}){0,20}\]/gi;
/** What is in these stays as it was written. */
const LITERAL: ReadonlySet<string> = new Set(["a", "cite", "code", "pre"]);

/** A plugin of the parser: a name of a source becomes a `cite` element, whose text has its number. */
export function sourceNodes(): (tree: ReadNode) => void {
  return (tree) => {
    const left: ReadNode[] = [tree];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      if (node.children === undefined || LITERAL.has(node.tagName ?? "")) continue;
      node.children = node.children.flatMap((child) => (child.type === "text" ? splitText(child) : [child]));
      for (const child of node.children) if (child.type === "element") left.push(child);
    }
  };
}

function splitText(node: ReadNode): readonly ReadNode[] {
  const { value = "" } = node;
  const nodes: ReadNode[] = [];
  let end = 0;
  for (const { 0: name, index } of value.matchAll(NAMED)) {
    const numbers = name.split(/(\d+)/);
    const parts = numbers.length === 3 ? [name] : numbers;
    nodes.push(
      toText(value.slice(end, index)),
      ...parts.map((part) => (/\d/.test(part) ? toCite(part) : toText(part))),
    );
    end = index + name.length;
  }
  return end === 0 ? [node] : [...nodes, toText(value.slice(end))].filter((one) => one.value !== "");
}

function toText(value: string): ReadNode {
  return { type: "text", value };
}

function toCite(value: string): ReadNode {
  return { type: "element", tagName: "cite", properties: {}, children: [toText(value)] };
}
