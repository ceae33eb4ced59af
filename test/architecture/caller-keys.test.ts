import { describe, expect, test } from "vitest";
import { callerKeys } from "./rules/caller-keys.ts";
import { show } from "./rules/source-tree.ts";
import { tree } from "./tree.ts";

const judge = (text: string, path = "core/a.ts") => callerKeys([{ path, text }]);

describe("a record that is keyed by text", () => {
  test("is read by getOwn everywhere", () => {
    expect(show(callerKeys(tree))).toEqual([]);
  });

  test.each([
    "function f(waits: Readonly<Record<string, Wait>>, id: string) { return waits[id]; }",
    "const kinds: Record<string, string> = {}; kinds[name] = value;",
    "const kinds: Partial<Record<string, string>> = {}; if (name in kinds) stop();",
    "const kinds: { [name: string]: string } = {}; use(kinds[name]);",
    "type Names = Readonly<Record<string, string>>; const f = (names: Names, user: string) => names[user];",
    "interface State { readonly waits: Record<string, Wait> } const f = (state: State, id: string) => state.waits[id];",
    "const f = (value: unknown, name: string) => (value as Record<string, unknown>)[name];",
    "const f = (given: Record<string, string> | null, name: string) => given?.[name];",
  ])("may not be used so: %s", (text) => {
    expect(judge(text)).toHaveLength(1);
  });

  test.each([
    "function f(waits: Readonly<Record<string, Wait>>, id: string) { return getOwn(waits, id); }",
    'const f = (fields: Record<string, string>) => fields["name"];',
    "const kinds = new Map<string, string>(); kinds.set(name, value);",
    "const f = (items: readonly string[], at: number) => items[at];",
    "const words: Record<Kind, string> = WORDS; const f = (kind: Kind) => words[kind];",
  ])("may be used so: %s", (text) => {
    expect(show(judge(text))).toEqual([]);
  });

  test.each([
    ["sidecar/a.ts", 1],
    ["scripts/a.ts", 1],
    ["test/a.ts", 0],
    ["web/a.ts", 0],
  ])("is judged on the server's side: %s", (path, count) => {
    expect(judge("const a: Record<string, string> = {}; a[name] = value;", path)).toHaveLength(count);
  });
});
