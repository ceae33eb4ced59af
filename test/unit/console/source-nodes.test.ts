/** The names of sources in a text. */
import { expect, it } from "vitest";
import { sourceNodes } from "../../../web/src/ui/source-nodes.ts";

const text = (value: string) => ({ type: "text", value });
const cite = (value: string) => ({ type: "element", tagName: "cite", properties: {}, children: [text(value)] });
const element = (tagName: string, ...children: object[]) => ({ type: "element", tagName, children });

function read(...children: ReturnType<typeof text>[]): unknown {
  const tree = { type: "root", children: [{ type: "element", tagName: "p", children }] };
  sourceNodes()(tree);
  return tree.children[0]?.children;
}

it("makes an element of each name, and leaves what is around it", () => {
  expect(read(text("Thirty days [Source 1]."))).toEqual([text("Thirty days "), cite("[Source 1]"), text(".")]);
  expect(read(text("[Sources 3, 4 and 12] say so"))).toEqual([
    text("[Sources "),
    cite("3"),
    text(", "),
    cite("4"),
    text(" and "),
    cite("12"),
    text("]"),
    text(" say so"),
  ]);
});

it.each(["No source.", "[Source]", "[Source x]", "Source 1", "[Source 12345678]"])("leaves %s", (words) => {
  expect(read(text(words))).toEqual([text(words)]);
});

it("looks into what is nested, and leaves code and links", () => {
  const [code, link, bold] = ["code", "a", "strong"].map((name) => element(name, text("[Source 2]")));
  const tree = { type: "root", children: [element("p", code ?? {}, link ?? {}, bold ?? {})] };
  sourceNodes()(tree as never);
  expect(tree.children).toEqual([
    element(
      "p",
      element("code", text("[Source 2]")),
      element("a", text("[Source 2]")),
      element("strong", cite("[Source 2]")),
    ),
  ]);
});
