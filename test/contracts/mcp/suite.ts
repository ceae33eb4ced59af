/** What every `McpPort` does, whatever revision of the protocol its servers speak. */
import { afterEach, describe, expect, it } from "vitest";
import type { McpCall, McpPort, McpReply } from "../../../core/ports/mcp.ts";
import type { FakeMcpServer } from "../../fakes/mcp.ts";

/** Servers, and a port that knows them by their names. */
export interface McpUnderTest {
  readonly mcp: McpPort;
  close(): Promise<void>;
}

export type OpenServers = (servers: Readonly<Record<string, FakeMcpServer>>) => Promise<McpUnderTest>;

const result = (change: Partial<Extract<McpReply, { kind: "result" }>> = {}): McpReply => ({
  kind: "result",
  content: [],
  structured: undefined,
  isError: false,
  listChanged: false,
  ...change,
});

export const tool = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  ...more,
});

export const callOf = (more: Partial<McpCall> = {}): McpCall => ({
  server: "notes",
  tool: "echo",
  input: { type: "object", properties: { text: { type: "string" } } },
  arguments: {},
  answers: {},
  state: null,
  task: "task_1",
  timeoutMs: 20_000,
  signal: new AbortController().signal,
  ...more,
});

/** `asks`: servers of this kind can ask a person something. */
export function mcpContract(name: string, open: OpenServers, { asks }: { readonly asks: boolean }): void {
  describe(`mcp: ${name}`, () => {
    let opened: McpUnderTest | null = null;

    async function portTo(server: Partial<FakeMcpServer>): Promise<McpPort> {
      opened = await open({ notes: { tools: [tool("echo")], answer: () => result(), ...server } });
      return opened.mcp;
    }
    afterEach(async () => {
      await opened?.close();
      opened = null;
    });

    it("lists all the tools of a server as they are written", async () => {
      const tools = Array.from({ length: 250 }, (_, index) =>
        tool(`tool_${index}`, { description: `Number ${index}` }),
      );
      const mcp = await portTo({ tools });
      const listed = await mcp.list("notes", new AbortController().signal);
      if (!listed.ok) throw new Error(listed.error.message);
      expect(listed.value.tools).toHaveLength(250);
      expect(listed.value.tools[249]).toMatchObject({ name: "tool_249", description: "Number 249" });
      expect(listed.value.protocolVersion).toMatch(/^20\d\d-\d\d-\d\d$/);
    });

    it("calls a tool with its arguments and returns its result", async () => {
      const calls: McpCall[] = [];
      const mcp = await portTo({
        answer: (call) => {
          calls.push(call);
          return result({ content: [{ type: "text", text: `heard ${JSON.stringify(call.arguments)}` }] });
        },
      });
      const given = { text: "Grüße 🐟", deep: { list: [1, null, true] } };
      const replied = await mcp.call(callOf({ arguments: given }));
      expect(replied).toEqual({
        ok: true,
        value: result({ content: [{ type: "text", text: `heard ${JSON.stringify(given)}` }] }),
      });
      expect(calls).toHaveLength(1);
    });

    it("hands over every kind of content, structured results, and that a tool failed", async () => {
      const content = [
        { type: "text", text: "a" },
        { type: "media", mimeType: "image/png", data: "AAEC", uri: null },
        { type: "resource", uri: "file:///a.txt", text: "inside" },
        { type: "link", uri: "https://example.com/", name: "there", description: "a place" },
      ] as const;
      const structured = { temperature: 21.5, tags: ["x"] };
      const mcp = await portTo({ answer: () => result({ content, structured, isError: true }) });
      const replied = await mcp.call(callOf());
      expect(replied).toEqual({ ok: true, value: result({ content, structured, isError: true }) });
    });

    it("hands over what a server says of a tool that it does not have, and that it said it", async () => {
      const mcp = await portTo({});
      const replied = await mcp.call(callOf({ tool: "missing" }));
      expect(replied).toMatchObject({ ok: false, error: { code: "invalid_input", cause: { kind: "answered" } } });
    });

    it("knows no server of another name, and nothing was sent", async () => {
      const mcp = await portTo({});
      for (const replied of [
        await mcp.call(callOf({ server: "other" })),
        await mcp.list("other", new AbortController().signal),
      ]) {
        expect(replied).toMatchObject({ ok: false, error: { code: "not_found", happened: "no" } });
      }
    });

    it("reports an unavailable server, and that the call was certainly not sent", async () => {
      const mcp = await portTo({ away: true });
      expect(await mcp.call(callOf())).toMatchObject({
        ok: false,
        error: { code: "upstream_failed", happened: "no" },
      });
      expect(await mcp.list("notes", new AbortController().signal)).toMatchObject({ ok: false });
    });

    it("sends nothing for a call that was given up before", async () => {
      const calls: McpCall[] = [];
      const mcp = await portTo({
        answer: (call) => {
          calls.push(call);
          return result();
        },
      });
      expect((await mcp.call(callOf({ signal: AbortSignal.abort() }))).ok).toBe(false);
      expect(calls).toEqual([]);
    });

    if (!asks) return;

    it("hands over a server's questions with its state, and takes the answers back to it", async () => {
      const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
      const questions = {
        who: { mode: "form", message: "Who are you?", schema, url: null },
        where: { mode: "url", message: "Sign in", schema: null, url: "https://example.com/in" },
      } as const;
      const calls: McpCall[] = [];
      const mcp = await portTo({
        answer: (call) => {
          calls.push(call);
          if (Object.keys(call.answers).length === 0) return { kind: "input_required", questions, state: "a state" };
          return result({ content: [{ type: "text", text: "thanks" }] });
        },
      });
      const asked = await mcp.call(callOf());
      expect(asked).toEqual({ ok: true, value: { kind: "input_required", questions, state: "a state" } });
      const answers = { who: { action: "accept", content: { name: "Ada" } }, where: { action: "decline" } } as const;
      const done = await mcp.call(callOf({ answers, state: "a state" }));
      expect(done).toMatchObject({ ok: true, value: { content: [{ type: "text", text: "thanks" }] } });
      expect(calls.at(-1)).toMatchObject({ answers, state: "a state" });
    });
  });
}
