/** A character may stand in Markdown by its number (`&#x202e;`): what deceives is looked for in what was read, not in the source. */
import { honestProse } from "./visible-text.ts";

/** A node of what the parser made (https://github.com/syntax-tree/hast): texts, elements, and what may hold them. */
interface ReadNode {
  readonly type: string;
  value?: string;
  readonly children?: readonly ReadNode[];
}

/** A plugin of the parser that makes every text of the tree honest. */
export function honestNodes(): (tree: ReadNode) => void {
  return (tree) => {
    const left: ReadNode[] = [tree];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      if (node.type === "text" && node.value !== undefined) node.value = honestProse(node.value);
      for (const child of node.children ?? []) left.push(child);
    }
  };
}
