/** The rules of codebases: parts of names, chunks, languages, files that look like secrets, and who may search. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutChunks, splitLines } from "../../../core/codebases/chunks.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { makeId } from "../../../core/base/ids.ts";
import { changeLists, hasList, isListed, nameAgents } from "../../../core/base/user-lists.ts";
import { codebaseSourceSchema } from "../../../core/codebases/codebase.ts";
import { isOfType, listExtensions } from "../../../core/codebases/languages.ts";
import { MAX_CHUNK_CHARACTERS } from "../../../core/codebases/limits.ts";
import { listWords, normalizeName, splitName } from "../../../core/codebases/names.ts";
import { hasSecretText, isSecretName } from "../../../core/codebases/secret-files.ts";

it.each([
  ["getUserName", "get user name"],
  ["get_user_name", "get user name"],
  ["GetUserName", "get user name"],
  ["HTTPServer2", "http server2"],
  ["XMLHttpRequest", "xml http request"],
  ["Cart.addItem", "cart add item"],
  ["$el", "el"],
  ["__init__", "init"],
  ["größeMeter", "größe meter"],
  ["", ""],
])("splits %s", (name, parts) => {
  expect(splitName(name).join(" ")).toBe(parts);
});

it("makes words of letters and digits only, so that a query needs no escape", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      for (const word of [...listWords(text), normalizeName(text)]) expect(word).toMatch(/^[\p{L}\p{N}]*$/u);
    }),
  );
});

describe("chunks", () => {
  it("cover every line once, within the limit", () => {
    const line = fc.string({ maxLength: 400 }).map((text) => `a${text.replaceAll(/[\r\n]/g, "")}`);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), (lines) => {
        const text = lines.join("\n");
        const chunks = cutChunks(text, new Set([3, 7, 20]));
        expect(chunks.map((chunk) => chunk.text).join("\n")).toBe(text);
        for (const chunk of chunks) {
          expect(chunk.text.length).toBeLessThanOrEqual(MAX_CHUNK_CHARACTERS);
          expect(splitLines(chunk.text).length).toBe(chunk.endLine - chunk.startLine + 1);
        }
      }),
    );
  });

  it("begin with a symbol once there is enough before it, and cut long lines", () => {
    const text = `${"a".repeat(650)}\nfunction b() {}\n${"c".repeat(3_000)}`;
    const chunks = cutChunks(text, new Set([2]));
    expect(chunks.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [3, 3],
      [3, 3],
    ]);
  });
});

it.each([
  [".py", "a/b.py", true],
  ["py", "a/b.PY", true],
  ["*.py", "a/b.py", true],
  ["python", "a/b.pyi", true],
  ["ts", "a.tsx", false],
  ["typescript", "a.mts", true],
  ["py", "py", false],
])("means by %s of %s: %s", (type, path, isMeant) => {
  expect(isOfType(path, type)).toBe(isMeant);
  if (path.includes("."))
    expect(listExtensions(type).includes(path.split(".").at(-1)?.toLowerCase() ?? "")).toBe(isMeant);
});

it.each(["id_rsa", "a/.npmrc", "keys.p12", "credentials.json", "x/service-account-prod.json", "main.tfstate"])(
  "takes %s for a secret",
  (path) => expect(isSecretName(path)).toBe(true),
);

it.each(["src/credentials.ts", "id_rsa.ts", "secretary.md", "keys.ts"])("does not take %s for a secret", (path) => {
  expect(isSecretName(path)).toBe(false);
});

it.each([
  "-----BEGIN RSA PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PGP PRIVATE KEY BLOCK-----",
  "key = AKIAABCDEFGHIJKLMNOP",
  `ghp_${"a".repeat(36)}`,
  `xoxb-${"1".repeat(24)}`,
  `sk-proj-${"x".repeat(44)}`,
])("finds a secret in %s", (text) => expect(hasSecretText(text)).toBe(true));

it.each(["-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "ask-questions-later", "ghp_short"])(
  "finds none in %s",
  (text) => expect(hasSecretText(text)).toBe(false),
);

const DEFAULT_AGENT_USER = { id: DEFAULT_AGENT.id, name: DEFAULT_AGENT.config.name };

describe("who may use a codebase or a database", () => {
  const nobody = { agents: null, projects: null, people: null };
  const [id, other] = [makeId("agent", 1, new Uint8Array(10)), makeId("agent", 2, new Uint8Array(10))];
  const user = { agent: { id, name: "coder" }, project: "shop", person: "per_1" };
  it.each([
    ["no list", nobody, false],
    ["an empty list", { ...nobody, agents: [] }, false],
    ["its agent", { ...nobody, agents: [id] }, true],
    ["another agent", { ...nobody, agents: [other] }, false],
    ["its agent by name, as codebases were stored", { ...nobody, agents: ["coder"] }, true],
    ["another agent by name", { ...nobody, agents: ["writer"] }, false],
    ["every list", { agents: [id], projects: ["shop"], people: ["per_1"] }, true],
    ["one list that does not match", { agents: ["coder"], projects: ["web"], people: null }, false],
    ["one list that is empty", { agents: ["coder"], projects: null, people: [] }, false],
  ])("with %s", (_, users, isAllowed) => {
    expect(isListed(users, user)).toBe(isAllowed);
  });

  it("does not take an agent whose name is the id of another one for that one", () => {
    const lists = { ...nobody, agents: [other, "agent_default"] };
    expect(isListed(lists, { ...user, agent: { id, name: other } })).toBe(false);
    expect(isListed(lists, { ...user, agent: { id, name: "agent_default" } })).toBe(false);
    expect(isListed(lists, { ...user, agent: DEFAULT_AGENT_USER })).toBe(true);
  });

  it("is shown by the names of agents: without deleted ones, and with names of before as they are", () => {
    const names = new Map([[id, "coder"]]);
    expect(nameAgents([id, other, "agent_default", "writer", "coder"], names)).toEqual(["coder", "default", "writer"]);
    expect(nameAgents([], names)).toEqual([]);
  });

  it("changes list by list", () => {
    const present = { agents: [id], projects: ["shop"], people: null };
    expect(changeLists(present, { projects: null, people: [] })).toEqual({ agents: [id], projects: null, people: [] });
    expect([hasList(nobody), hasList({ people: [] }), hasList({ agents: null })]).toEqual([false, true, false]);
  });

  it("is nobody by a list of people or projects when a task has none", () => {
    expect(isListed({ ...nobody, people: ["per_1"] }, { ...user, person: null })).toBe(false);
    expect(isListed({ ...nobody, projects: ["shop"] }, { ...user, project: null })).toBe(false);
  });
});

it.each([
  { git: "file:///etc" },
  { git: "https://ana:pw@example.com/a.git" },
  { git: "/srv/code" },
  { git: "git@example.com:a.git" },
  { git: "https://example.com/a.git", ref: "--upload-pack=id" },
  { path: "/srv/code" },
  { zip: { hash: "x", size: 1 } },
])("refuses the source %j", (source) => {
  expect(codebaseSourceSchema.safeParse(source).success).toBe(false);
});
