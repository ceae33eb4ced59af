import { describe, expect, test } from "vitest";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import {
  byToolbox,
  callWarning,
  getEffectWording,
  getLevelWording,
  getPermissionWording,
  formatSource,
  toolboxTitle,
} from "../../../web/src/pages/tools/tool-words.ts";

describe("a tool in words", () => {
  test("has words for everything that the bus says of the built-in tools", () => {
    for (const { security, effect, permissions } of catalogue) {
      const level = typeof security === "function" ? "by arguments" : security;
      const change = typeof effect === "function" ? "by arguments" : effect;
      expect(getLevelWording(level).word).not.toBe(level);
      expect(getEffectWording(change).word).not.toBe(change);
      for (const permission of permissions) expect(getPermissionWording(permission).word).not.toBe(permission);
    }
  });

  test("that changes nothing is called without a question, every other one after one", () => {
    expect(callWarning({ name: "grep", effect: "none", permissions: ["read"] })).toBeNull();
    for (const effect of ["keyed", "probe", "once", "by arguments", "of a later release"])
      expect(callWarning({ name: "x", effect, permissions: ["network"] })).toContain("x ");
    expect(callWarning({ name: "write_file", effect: "keyed", permissions: ["write"] })).toContain("what Otto keeps");
    expect(callWarning({ name: "send", effect: "once", permissions: ["network"] })).toContain("outside Otto");
  });

  test.each([
    ["built_in", "Built in"],
    ["custom", "Your own HTTP tool"],
    ["openapi:weather", "Imported from “weather”"],
    ["mcp:a:b", "MCP server “a:b”"],
    ["skills:otto", "A skill that ships with Otto"],
    ["skills:own", "A skill of yours"],
    ["later", "later"],
  ])("from %s", (source, said) => expect(formatSource(source)).toBe(said));

  test("is listed in its toolbox, in the order in which each first appears", () => {
    const tools = ["web", "files", "web"].map((toolbox, at) => ({ toolbox, at }));
    expect(byToolbox(tools).map((box) => [box.toolbox, box.tools.length])).toEqual([
      ["web", 2],
      ["files", 1],
    ]);
    expect(toolboxTitle("unit_tests")).toBe("Unit tests");
    expect(toolboxTitle("ssh")).toBe("SSH");
  });
});
