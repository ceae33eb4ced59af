import { expect, test } from "vitest";
import { honestNodes } from "../../../web/src/ui/honest-nodes.ts";

const text = (value: string) => ({ type: "text", value });

test("a text with a numeric reference to a direction mark is rendered as written, however deeply nested", () => {
  const tree = { type: "root", children: [text("a\u202eb"), { type: "element", children: [text("\u202dc")] }] };
  honestNodes()(tree);
  expect(tree).toEqual({
    type: "root",
    children: [text("a⟨U+202E⟩b"), { type: "element", children: [text("⟨U+202D⟩c")] }],
  });
});

test("letters with piles of marks are cut in what was read", () => {
  const node = text(`e${"\u0301".repeat(50_000)}`);
  honestNodes()({ type: "root", children: [node] });
  expect(node.value).toBe("e⟨50000 marks on one letter⟩");
});
