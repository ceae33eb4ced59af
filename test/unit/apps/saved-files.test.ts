import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { saveFiles, toSafeName } from "../../../core/apps/calls/saved-files.ts";
import { DEFAULT_AGENT, getSandboxRules } from "../../../core/agents/agent.ts";
import { judgePath } from "../../../core/sandbox/path.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import { fakeAppCalls } from "../../fakes/app-calls.ts";
import { fakeFiles } from "../../fakes/files.ts";

const RULES = getSandboxRules(DEFAULT_AGENT.config);
const LINK = "https://storage.example/a?signature=canary";
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function open({ permissions = ["write"], key = "call_1" }: { permissions?: string[]; key?: string } = {}) {
  const [apps, files] = [fakeAppCalls(), fakeFiles()];
  const put = (link: string, content: string | Uint8Array) =>
    apps.links.set(link, typeof content === "string" ? new TextEncoder().encode(content) : content);
  const save = async (data: unknown, more: { key?: string; signal?: AbortSignal; app?: string } = {}) => {
    const { app = "gmail", signal = new AbortController().signal } = more;
    const context = { permissions, sandbox: RULES, key: more.key ?? key, signal, files, apps } as never;
    return await saveFiles(data, { app, context, timeoutMs: 1_000 });
  };
  const read = async (path: string) => text(unwrap(await files.read(path, 1_000)).bytes);
  return { put, save, read, files };
}

const toFile = (name: string, s3url = LINK) => ({ name, mimetype: "text/plain", s3url });

describe("files of a result", () => {
  test("are written, and the result has their paths in the place of the links", async () => {
    const { put, save, read } = open();
    put(LINK, "hello");
    const data = { file: toFile("a.txt"), text: `see ${LINK} there`, deep: [{ list: [toFile("a.txt")] }] };
    const saved = { name: "a.txt", mimetype: "text/plain", saved_as: "apps/gmail/a.txt", size: 5 };
    expect(await save(data)).toEqual({
      file: saved,
      text: "see apps/gmail/a.txt there",
      deep: [{ list: [saved] }],
    });
    expect(await read("apps/gmail/a.txt")).toBe("hello");
  });

  test("of which there are very many: the first ten are fetched, and no field has a link", async () => {
    const { put, save } = open();
    const links = Array.from({ length: 150 }, (_, at) => `${LINK}-${at}-`);
    for (const link of links) put(link, "x");
    const result = (await save(links.map((link) => toFile("a.txt", link)))) as Record<string, unknown>[];
    expect(result.filter(({ saved_as: path }) => path !== undefined)).toHaveLength(10);
    expect(result.at(-1)).toMatchObject({ not_saved: expect.stringContaining("more than 100 files") });
    expect(JSON.stringify(result)).not.toContain("canary");
  });

  test("get a number if the name is taken, and the same one after a repeat", async () => {
    const { put, save, read } = open();
    put(LINK, "one");
    put(`${LINK}2`, "two");
    const of = async (key: string, link: string) => JSON.stringify(await save(toFile("a.txt", link), { key }));
    expect(await of("call_1", LINK)).toContain('"apps/gmail/a.txt"');
    expect(await of("call_2", `${LINK}2`)).toContain('"apps/gmail/a-2.txt"');
    expect(await of("call_2", `${LINK}2`)).toContain('"apps/gmail/a-2.txt"');
    expect([await read("apps/gmail/a.txt"), await read("apps/gmail/a-2.txt")]).toEqual(["one", "two"]);
  });

  test("that cannot be fetched are named with the reason, and the link is nowhere", async () => {
    const { save, put } = open();
    put("http://storage.example/plain", "x");
    const links = [LINK, "https://10.0.0.1/a", "http://storage.example/plain"];
    const result = await save({ files: links.map((link) => toFile("a.txt", link)), note: LINK });
    expect(result).toMatchObject({
      files: [
        { not_saved: expect.stringContaining("HTTP 403") },
        { not_saved: "The file was not saved: Otto may not reach its address." },
        { not_saved: expect.stringContaining("may not reach") },
      ],
      note: "[link removed]",
    });
    expect(JSON.stringify(result)).not.toContain("http");
  });

  test("are at most ten, in the time that is left, and only for an agent that writes files", async () => {
    const many = Array.from({ length: 12 }, (_, index) => toFile("a.txt", `${LINK}&n=${index}`));
    const of = async (at: ReturnType<typeof open>, more = {}) => {
      for (const { s3url } of many) at.put(s3url, "x");
      return JSON.stringify(await at.save(many, more));
    };
    const count = (result: string, what: string) => result.split(what).length - 1;
    const all = await of(open());
    expect([count(all, "saved_as"), count(all, "at most 10 files")]).toEqual([10, 2]);
    expect(count(await of(open(), { signal: AbortSignal.abort() }), "no time was left")).toBe(10);
    const reader = open({ permissions: ["read"] });
    expect(count(await of(reader), "this agent writes no files")).toBe(12);
    expect(unwrap(await reader.files.list(""))).toEqual([]);
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["..", "file"],
    ["C:\\\\Temp\\\\a.pdf", "a.pdf"],
    [".env", "env"],
    ["a\u202egnp.exe", "a_gnp.exe"],
    ["a\nb.txt", "a_b.txt"],
    ["%2e%2e%2fa", "_2e_2e_2fa"],
    [`${"x".repeat(300)}.pdf`, `${"x".repeat(100)}.pdf`],
    ["", "file"],
  ])("have a safe name for %j", (given, name) => {
    expect(toSafeName(given)).toBe(name);
  });

  test("have names that stay below the app's folder, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (given) => {
        const path = `apps/gmail/${toSafeName(given)}`;
        expect(judgePath(path, RULES, "write")).toEqual({ ok: true, value: path });
      }),
    );
  });

  test("change nothing of a result without links, and no depth breaks it", async () => {
    const { save } = open();
    const data = { a: [1, "b", null, { s3url: 3 }] };
    expect(await save(data)).toBe(data);
    let deep: unknown = toFile("a.txt");
    for (let depth = 0; depth < 500; depth += 1) deep = [deep];
    const result = await save([toFile("a.txt"), deep]);
    expect(JSON.stringify(result)).not.toContain("http");
  });
});
