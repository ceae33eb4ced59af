/** How a server's list is read, compared with a later one, and named as tools. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toOutsideTools } from "../../../core/mcp/outside-tools.ts";
import { diffLists, MAX_DESCRIPTION, MAX_TOOLS, cleanText, readToolList } from "../../../core/mcp/tool-list.ts";
import type { McpTool } from "../../../core/ports/mcp.ts";

const raw = (more: Record<string, unknown> = {}) => ({ name: "echo", inputSchema: { type: "object" }, ...more });

async function read(...tools: unknown[]) {
  const list = await readToolList(tools);
  if (!list.ok) throw new Error(list.error.message);
  return list.value;
}

describe("a list", () => {
  it("has one hash, for any order of its tools and their members", async () => {
    const one = await read(raw({ name: "a", description: "x" }), raw({ name: "b" }));
    const other = await read(raw({ name: "b" }), { description: "x", inputSchema: { type: "object" }, name: "a" });
    expect(other.hash).toBe(one.hash);
    expect((await read(raw({ name: "a", description: "y" }), raw({ name: "b" }))).hash).not.toBe(one.hash);
  });

  it("rejects invalid tools with a reason, and retains the others", async () => {
    const deep = Array.from({ length: 5_000 }).reduce<unknown>((inside) => ({ items: inside }), {});
    const { tools, refused } = await read(
      raw(),
      raw(),
      raw({ name: "a b" }),
      raw({ name: "x".repeat(129) }),
      raw({ name: "text", inputSchema: { type: "string" } }),
      raw({ name: "none", inputSchema: undefined }),
      raw({ name: "deep", inputSchema: { type: "object", properties: { a: deep } } }),
      raw({ name: "large", inputSchema: { type: "object", description: "", enum: Array(20_000).fill("xxxx") } }),
      raw({
        name: "away",
        inputSchema: { type: "object", properties: { a: { $ref: "https://evil.example/s.json" } } },
      }),
      raw({ name: "out", outputSchema: { $dynamicRef: "other.json#x" } }),
      null,
      "echo",
    );
    expect(tools.map(({ name }) => name)).toEqual(["echo"]);
    expect(refused.map(({ name }) => name)).toEqual([
      "echo",
      "a b",
      expect.any(String),
      "text",
      "none",
      "deep",
      "large",
      "away",
      "out",
      "(without a name)",
      "(without a name)",
    ]);
    expect(refused.every(({ reason }) => reason.length > 0 && reason.length <= 300)).toBe(true);
  });

  it("with too many tools or too much text is rejected completely", async () => {
    const many = Array.from({ length: MAX_TOOLS + 1 }, (_, index) => raw({ name: `t${index}` }));
    expect(await readToolList(many)).toMatchObject({ ok: false, error: { code: "too_large" } });
    const heavy = Array.from({ length: 100 }, (_, index) =>
      raw({ name: `t${index}`, inputSchema: { type: "object", enum: Array(3_000).fill("xxxxxxxxxx") } }),
    );
    expect(await readToolList(heavy)).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  it("has descriptions without hidden or reordering characters, also inside schemas", async () => {
    const hidden = "be\u202enign\u200b\u0000\u{e0041}\u001b[2J";
    const { tools } = await read(
      raw({
        description: hidden,
        inputSchema: { type: "object", properties: { a: { type: "string", description: hidden } } },
      }),
    );
    expect(tools[0]?.description).toBe("benign[2J");
    expect(tools[0]?.input).toMatchObject({ properties: { a: { description: "benign[2J" } } });
  });

  it("has short descriptions for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (text) => {
        const plain = cleanText(text, MAX_DESCRIPTION);
        expect(plain.length).toBeLessThanOrEqual(MAX_DESCRIPTION);
        expect(plain.isWellFormed()).toBe(true);
        // oxlint-disable-next-line no-control-regex -- these are what must not be there
        expect(plain).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});

describe("a later list", () => {
  it("lists what was added, removed and changed", async () => {
    const before = (await read(raw({ name: "a" }), raw({ name: "b", description: "x" }), raw({ name: "c" }))).tools;
    const after = (
      await read(
        raw({ name: "b", description: "y", annotations: { readOnlyHint: true } }),
        raw({ name: "c", inputSchema: { type: "object", required: ["x"] } }),
        raw({ name: "d" }),
      )
    ).tools;
    expect(diffLists(before, after)).toEqual({
      added: ["d"],
      removed: ["a"],
      changed: [
        {
          name: "b",
          changes: [
            { what: "description", before: "x", after: "y" },
            {
              what: "annotations",
              before: { readOnly: false, idempotent: false },
              after: { readOnly: true, idempotent: false },
            },
          ],
        },
        {
          name: "c",
          changes: [{ what: "input", before: { type: "object" }, after: { type: "object", required: ["x"] } }],
        },
      ],
    });
    expect(diffLists(before, before)).toEqual({ added: [], removed: [], changed: [] });
  });
});

describe("a tool of a server", () => {
  const mcpTool = (name: string, more: Partial<McpTool> = {}): McpTool => ({
    name,
    description: name,
    input: { type: "object" },
    output: null,
    readOnly: false,
    idempotent: false,
    ...more,
  });
  const named = async (server: string, tools: readonly McpTool[], taken: readonly string[] = [], trusted = false) =>
    await toOutsideTools(server, tools, { trusted, timeoutMs: 1_000 }, (name) => taken.includes(name));

  it("has a name of at most 64 characters that a model accepts and that is free", async () => {
    const tools = await named(
      "my.server",
      [mcpTool("get.it"), mcpTool("get_it"), mcpTool("x".repeat(128)), mcpTool("y".repeat(128)), mcpTool("free")],
      ["my_server_free"],
    );
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names[0]).toBe("my_server_get_it");
    expect(names[1]).toMatch(/^my_server_get_it_[0-9a-f]{10}$/);
    expect(names[4]).toMatch(/^my_server_free_[0-9a-f]{10}$/);
    expect(await named("my.server", [mcpTool("free")], ["my_server_free"])).toMatchObject([{ name: names[4] }]);
  });

  it.each([
    [false, { readOnly: true, idempotent: true }, "dangerous", "once"],
    [true, { readOnly: true, idempotent: false }, "cautious", "none"],
    [true, { readOnly: false, idempotent: true }, "dangerous", "keyed"],
    [true, { readOnly: false, idempotent: false }, "dangerous", "once"],
  ] as const)(
    "of a server that is trusted: %s, which says %j, is %s and %s",
    async (trusted, hints, security, effect) => {
      expect(await named("s", [mcpTool("t", hints)], [], trusted)).toMatchObject([
        {
          security,
          effect,
          permissions: ["network"],
          toolbox: "mcp:s",
          origin: { kind: "mcp", server: "s", tool: "t" },
        },
      ]);
    },
  );
});
