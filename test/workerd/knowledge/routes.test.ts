/** What the routes of documents accept and refuse, and who sees what. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { OUTSIDE } from "../../../core/provenance/label.ts";
import { callerOf, type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { changeReader } from "./test-reader.ts";

const PATH = "/v1/knowledge/documents";
const TEXT = "# Pumps\r\n\r\nThe red pump.\r\n--not-the-boundary\r\n";

beforeEach(() => {
  for (const method of ["log", "error"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  changeReader((deps) => deps);
});

const waitFor = async (caller: Caller, id: string, wanted: object) =>
  await vi.waitFor(
    async () => {
      const view = (await caller.send("GET", `${PATH}/${id}`)).json;
      expect(view).toMatchObject(wanted);
      return view;
    },
    { timeout: 60_000, interval: 100 },
  );

function formOf(fields: Record<string, string>, files: Record<string, [name: string, text: string]>): [string, string] {
  const boundary = "----a-boundary";
  const parts = [
    ...Object.entries(fields).map(([name, text]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${text}`),
    ...Object.entries(files).map(
      ([name, [filename, text]]) =>
        `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: text/plain\r\n\r\n${text}`,
    ),
  ];
  const body = `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`;
  return [body, `multipart/form-data; boundary=${boundary}`];
}

const sendForm = async (caller: Caller, ...form: Parameters<typeof formOf>) => {
  const [body, type] = formOf(...form);
  return await caller.send("POST", PATH, body, { "content-type": type });
};

test("a form has a file and fields", async () => {
  const caller = await makeCaller();
  const fields = { title: "The manual", tags: "pumps, valves", project: "plant" };
  const added = await sendForm(caller, fields, {
    file: ["C:\\docs\\manual.md", TEXT],
  });
  expect(added.status, added.text).toBe(202);
  expect(added.json).toMatchObject({
    filename: "manual.md",
    title: "The manual",
    tags: ["pumps", "valves"],
    project: "plant",
    source: { kind: "upload" },
  });
  expect(added.headers.get("location")).toBe(`${PATH}/${added.json.id}`);
  await waitFor(caller, added.json.id, { status: "ready", size: TEXT.length });
  expectProblem(await sendForm(caller, {}, {}), 422, "file");
  expectProblem(await sendForm(caller, { colour: "red" }, { file: ["a.md", "x"] }), 422, "colour");
  expectProblem(await sendForm(caller, {}, { file: ["a.md", "x"], more: ["b.md", "x"] }), 422, "file");
  expectProblem(
    await caller.send("POST", PATH, "--x\r\n", { "content-type": "multipart/form-data; boundary=x" }),
    422,
    "body",
  );
});

test("JSON names exactly one source", async () => {
  const caller = await makeCaller();
  for (const body of [{}, { text: "a", url: "https://a.example/b" }, { task_id: "task_x" }, { path: "a.md" }])
    expectProblem(await caller.send("POST", PATH, body), 422, "url");
  expectProblem(await caller.send("POST", PATH, { text: "a", filename: "a/b.md" }), 422, "filename");
  expectProblem(await caller.send("POST", PATH, "a", { "content-type": "text/plain" }), 415);
  expectProblem(await caller.send("POST", PATH), 422);
});

test("an address is public, names no secret, and its text is from outside", async () => {
  const caller = await makeCaller();
  for (const url of [
    "http://127.0.0.1/a.pdf",
    "http://169.254.169.254/latest",
    "http://localhost/a",
    "https://[::1]/a",
  ])
    expectProblem(await caller.send("POST", PATH, { url }), 403);
  expectProblem(await caller.send("POST", PATH, { url: "https://a.example/{{secret.KEY}}" }), 422, "url");
  expectProblem(await caller.send("POST", PATH, { url: "ftp://a.example/a" }), 422, "url");
  const fetched: string[] = [];
  changeReader((deps) => ({
    ...deps,
    download: async (url) => {
      fetched.push(url);
      return { ok: true, value: new TextEncoder().encode(`# Text ${fetched.length}\n\nFrom outside.`) };
    },
  }));
  const { json } = await caller.send("POST", PATH, { url: "https://docs.example.com/guide.md?v=1" });
  expect(json).toMatchObject({ filename: "guide.md", label: "outside", size: null });
  const ready = await waitFor(caller, json.id, { status: "ready", title: "Text 1", size: 23 });
  expect(ready.source).toEqual({
    kind: "url",
    url: "https://docs.example.com/guide.md?v=1",
    task_id: null,
    path: null,
  });
  await caller.send("POST", `${PATH}/${json.id}/reingest`);
  await waitFor(caller, json.id, { status: "ready", title: "Text 2", shown_version: 2 });
});

test("a file of a task is copied, with the label of its writer", async () => {
  const caller = await makeCaller();
  const task = await caller.makeTask(["Done."]);
  const place = { tenant: caller.tenant, rootId: task.id, project: null };
  const bytes = new TextEncoder().encode("From a page.");
  valueOf(
    await filesFromEnv(env, place).write("notes/page.md", bytes, {
      key: "k",
      label: OUTSIDE,
      overwrite: true,
    } as never),
  );
  const added = await caller.send("POST", PATH, { task_id: task.id, path: "notes/page.md" });
  expect(added.json, added.text).toMatchObject({
    filename: "page.md",
    label: "outside",
    source: { kind: "file", task_id: task.id },
  });
  expectProblem(await caller.send("POST", PATH, { task_id: task.id, path: "none.md" }), 404);
  const other = await makeCaller();
  expectProblem(await other.send("POST", PATH, { task_id: task.id, path: "notes/page.md" }), 404);
});

test("another tenant sees and changes nothing of it", async () => {
  const [caller, other] = [await makeCaller(), await makeCaller()];
  const { json } = await caller.send("POST", PATH, { text: "Secret." });
  expect((await other.send("GET", PATH)).json.data).toEqual([]);
  expectProblem(await other.send("GET", `${PATH}/${json.id}`), 404);
  expectProblem(await other.send("PUT", `${PATH}/${json.id}`, { text: "x" }), 404);
  expectProblem(await other.send("POST", `${PATH}/${json.id}/reingest`), 404);
  expectProblem(await other.send("DELETE", `${PATH}/${json.id}`), 404);
});

test("a key needs the scope, and a key of projects sees and adds only theirs", async () => {
  const caller = await makeCaller();
  const reader = await caller.send("POST", "/v1/keys", { name: "reader", scopes: ["tasks:read"] });
  const reads = callerOf(caller.tenant, reader.json.key);
  const wide = (await caller.send("POST", PATH, { text: "Of the tenant." })).json;
  expect((await reads.send("GET", `${PATH}/${wide.id}`)).status).toBe(200);
  expectProblem(await reads.send("POST", PATH, { text: "x" }), 403);
  expectProblem(await reads.send("DELETE", `${PATH}/${wide.id}`), 403);
  const scopes = ["tasks:read", "knowledge:write"];
  const made = await caller.send("POST", "/v1/keys", { name: "plant", scopes, projects: ["plant"] });
  const bound = callerOf(caller.tenant, made.json.key);
  expectProblem(await bound.send("POST", PATH, { text: "x" }), 422, "project");
  expectProblem(await bound.send("POST", PATH, { text: "x", project: "other" }), 404);
  const own = await bound.send("POST", PATH, { text: "x", project: "plant" });
  expect(own.status, own.text).toBe(202);
  expect((await bound.send("GET", PATH)).json.data).toMatchObject([{ id: own.json.id }]);
  expectProblem(await bound.send("GET", `${PATH}?scope=tenant`), 403);
  for (const [method, path] of [
    ["GET", ""],
    ["PUT", ""],
    ["DELETE", ""],
    ["POST", "/reingest"],
  ] as const)
    expectProblem(
      await bound.send(method, `${PATH}/${wide.id}${path}`, method === "PUT" ? { text: "x" } : undefined),
      404,
    );
});

test("a repeated request adds one document", async () => {
  const caller = await makeCaller();
  const send = async () => await caller.send("POST", PATH, { text: "Once." }, { "idempotency-key": "one" });
  const [first, second] = [await send(), await send()];
  expect(second.json).toEqual(first.json);
  expect((await caller.send("GET", PATH)).json.data).toHaveLength(1);
});
