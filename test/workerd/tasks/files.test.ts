import { beforeAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { fetchApp } from "../fetch-app.ts";
import { type Caller, expectProblem, knock, makeCaller } from "../http/entry.ts";

describe("the files of a task", () => {
  let caller: Caller;
  let files: string;
  let id: string;

  beforeAll(async () => {
    caller = await makeCaller();
    ({ id } = await caller.makeTask([], { hold: true }));
    files = `/v1/tasks/${id}/files`;
  });

  test("are returned byte for byte, and a browser does not run them", async () => {
    const bytes = new Uint8Array(70_000).map((_, index) => index % 256);
    const put = await caller.send("PUT", `${files}/data/all bytes.bin`.replace(" ", "%20"), bytes, {
      "content-type": "application/x-thing",
    });
    expect([put.status, put.json.path, put.json.size, put.json.content_type]).toEqual([
      201,
      "data/all bytes.bin",
      70_000,
      "application/x-thing",
    ]);
    const got = await fetchBytes(caller, put.json.url);
    expect(got.bytes).toEqual(bytes);
    expect(got.headers.get("content-type")).toBe("application/x-thing");
    expect(got.headers.get("etag")).toBe(put.headers.get("etag"));
    expect(got.headers.get("content-disposition")).toBe(
      `attachment; filename="all bytes.bin"; filename*=UTF-8''all%20bytes.bin`,
    );
    expect(got.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("have names of any characters", async () => {
    const name = `über "quoted" 100% 'x' — 😀;.txt`;
    const path = `${files}/${encodeURIComponent(name)}`;
    expect((await caller.send("PUT", path, "x", { "content-type": "text/plain" })).json.path).toBe(name);
    const got = await caller.send("GET", path);
    expect(got.text).toBe("x");
    expect(decodeURIComponent(got.headers.get("content-disposition")?.split("filename*=UTF-8''")[1] ?? "")).toBe(name);
  });

  test("are replaced, and only on the condition that the caller sets", async () => {
    const path = `${files}/versions.txt`;
    const first = await caller.send("PUT", path, "one", { "content-type": "text/plain", "if-none-match": "*" });
    const etag = first.headers.get("etag") ?? "";
    expect(first.status).toBe(201);
    expectProblem(await caller.send("PUT", path, "two", { "content-type": "text/plain", "if-none-match": "*" }), 409);
    expectProblem(
      await caller.send("PUT", path, "two", { "content-type": "text/plain", "if-match": '"other"' }),
      409,
      "If-Match",
    );
    expect((await caller.send("PUT", path, "two", { "content-type": "text/plain", "if-match": etag })).status).toBe(
      200,
    );
    expect((await caller.send("GET", path)).text).toBe("two");
    expect((await caller.send("GET", path, undefined, { "if-none-match": etag })).status).toBe(200);
    const current = (await caller.send("HEAD", path)).headers.get("etag") ?? "";
    const same = await caller.send("GET", path, undefined, { "if-none-match": current });
    expect([same.status, same.text]).toEqual([304, ""]);
  });

  test("are listed by path, in pages, with where to get them", async () => {
    const own = await caller.makeTask([], { hold: true });
    for (const path of ["b.txt", "a/2.txt", "a/b/1.txt"]) {
      await caller.send("PUT", `/v1/tasks/${own.id}/files/${path}`, path, { "content-type": "text/plain" });
    }
    const list = async (query: string) => (await caller.send("GET", `/v1/tasks/${own.id}/files${query}`)).json;
    const paths = (page: { data: { path: string }[] }) => page.data.map(({ path }) => path);
    expect(paths(await list(""))).toEqual(["a/2.txt", "a/b/1.txt", "b.txt"]);
    expect(paths(await list("?path=a"))).toEqual(["a/2.txt", "a/b/1.txt"]);
    const first = await list("?limit=2");
    expect(paths(await list(`?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`))).toEqual(["b.txt"]);
    expectProblem(await caller.send("GET", `/v1/tasks/${own.id}/files?path=none`), 404);
    const { url } = first.data[0];
    expect(url).toBe(`http://otto.test/v1/tasks/${own.id}/files/a/2.txt`);
  });

  test("are listed in one order, however many there are and wherever the page ends", async () => {
    const own = await caller.makeTask([], { hold: true, project: "sales" });
    const paths = ["B.txt", "a.txt", "project-plan.txt", "project/a.txt", "project/b/c.txt", "project0", "z.txt"];
    for (const path of paths.toReversed()) await caller.send("PUT", `/v1/tasks/${own.id}/files/${path}`, "x");
    for (const limit of [1, 2, 3, 4, 7, 10]) {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: string = `?limit=${limit}&cursor=${encodeURIComponent(cursor)}`;
        const page = (await caller.send("GET", `/v1/tasks/${own.id}/files${query}`)).json;
        found.push(...page.data.map(({ path }: { path: string }) => path));
        cursor = page.next_cursor;
      }
      expect(found).toEqual([
        "B.txt",
        "a.txt",
        "project-plan.txt",
        "project/a.txt",
        "project/b/c.txt",
        "project0",
        "z.txt",
      ]);
    }
    const inside = (await caller.send("GET", `/v1/tasks/${own.id}/files?path=project&limit=1`)).json;
    expect([inside.data[0].path, inside.next_cursor]).toEqual(["project/a.txt", "project/a.txt"]);
  });

  test.each([
    ["%2e%2e/x", [404, 422]],
    ["a/%2e%2e%2f%2e%2e/x", [403]],
    ["..%2fx", [403]],
    ["%2fetc/passwd", [403]],
    ["a%00b", [422]],
    ["a%5cb", [422]],
    ["a//b", [422]],
    ["a/", [422]],
    ["%zz", [422]],
    ["%ff", [422]],
    ["a%0ab", [422]],
    ["x".repeat(1025), [422]],
    ["none.txt", [404]],
  ])("refuse the path %s", async (path, statuses) => {
    for (const method of ["GET", "PUT", "DELETE"] as const) {
      if (method === "PUT" && path === "none.txt") continue;
      const answer = await caller.send(method, `${files}/${path}`, method === "PUT" ? "x" : undefined);
      expect(statuses, answer.text).toContain(answer.status);
    }
    const versions = files.replace(/files$/, "file-versions");
    for (const answer of [
      await caller.send("GET", `${versions}/${path}`),
      await caller.send("POST", `${versions}/${path}`, { version: 1 }),
    ]) {
      expect(statuses, answer.text).toContain(answer.status);
    }
  });

  test("decode a path once: a percent sign that is left is a percent sign", async () => {
    expect((await caller.send("PUT", `${files}/%252e%252e`, "x")).json.path).toBe("%2e%2e");
  });

  test("over 50 MB are rejected, with or without a stated length", async () => {
    const authorization = `Bearer ${caller.key}`;
    const rejected = await knock("PUT", `${files}/big.bin`, {
      headers: { authorization },
      body: new Uint8Array(52_428_801),
    });
    expectProblem(rejected, 413, "body");
    let sent = 0;
    const untold = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 53) controller.close();
        else controller.enqueue(new Uint8Array(1_048_576));
      },
    });
    expectProblem(await knock("PUT", `${files}/big.bin`, { headers: { authorization }, body: untold }), 413, "body");
    expectProblem(await caller.send("GET", `${files}/big.bin`), 404);
  });

  test("with an invalid content type are rejected", async () => {
    expectProblem(await caller.send("PUT", `${files}/x.txt`, "x", { "content-type": "text" }), 415);
  });

  test("are not taken by a task that has ended", async () => {
    const own = await caller.makeTask([], { hold: true });
    await caller.send("POST", `/v1/tasks/${own.id}/cancel`);
    expectProblem(await caller.send("PUT", `/v1/tasks/${own.id}/files/x.txt`, "x"), 409);
  });

  test("that the task attached are in its output, with an address that works", async () => {
    const calls = (name: string, given: unknown) => ({ calls: [{ name, arguments: given }] });
    const task = await caller.makeTask([
      calls("write_file", { filename: "out/plan.md", content: "# Plan" }),
      calls("attach_file", { filename: "out/plan.md" }),
      { text: "Attached." },
    ]);
    const view = await caller.until(task.id, ({ status }) => status === "completed");
    const [file] = view.output?.files ?? [];
    expect(file).toMatchObject({ path: "out/plan.md", size: 6 });
    const url = (file as unknown as { url: string }).url;
    expect(new TextDecoder().decode((await fetchBytes(caller, url)).bytes)).toBe("# Plan");
  });

  test("that the task attached retain the attached content, even after many more writes", async () => {
    const call = (name: string, given: unknown) => ({ name, arguments: given });
    const write = (content: string) => call("write_file", { filename: "plan.md", content });
    const attach = call("attach_file", { filename: "plan.md" });
    const contents = Array.from({ length: 12 }, (_, index) => `plan ${index + 10}`);
    const task = await caller.makeTask([
      { calls: [write("plan 1"), attach, write("plan 2"), attach, write("plan 3")] },
      { calls: contents.map(write) },
      { text: "Attached." },
    ]);
    const view = await caller.until(task.id, ({ status }) => status === "completed");
    const sha256 = await sha256Hex(new TextEncoder().encode("plan 2"));
    expect(view.output?.files).toMatchObject([{ path: "plan.md", size: 6, sha256 }]);
    const [file] = view.output?.files ?? [];
    const { url } = file as unknown as { url: string };
    const [given, present] = [await fetchBytes(caller, url), await fetchBytes(caller, url.split("?")[0] ?? "")];
    expect([given.bytes, present.bytes].map((bytes) => new TextDecoder().decode(bytes))).toEqual(["plan 2", "plan 21"]);
    expect(given.headers.get("etag")).toBe(`"${sha256}"`);
    const known = await caller.send("GET", `/v1/tasks/${task.id}/file-versions/plan.md`);
    expect(known.text).not.toContain(sha256);
    const remembered = await sha256Hex(new TextEncoder().encode("plan 20"));
    const path = `/v1/tasks/${task.id}/files/plan.md`;
    expect((await caller.send("GET", `${path}?sha256=${remembered}`)).text).toBe("plan 20");
    const forgotten = await sha256Hex(new TextEncoder().encode("plan 1"));
    expectProblem(await caller.send("GET", `${path}?sha256=${forgotten}`), 404);
    expectProblem(await caller.send("GET", `/v1/tasks/${task.id}/files/other.md?sha256=${sha256}`), 404);
    expectProblem(await caller.send("GET", `${path}?sha256=x`), 422);
    expectProblem(await caller.send("GET", `${path}?sha256=${sha256}&version=1`), 422);
  });
});

async function fetchBytes(caller: Caller, url: string): Promise<{ bytes: Uint8Array; headers: Headers }> {
  const response = await fetchApp(url, { headers: { authorization: `Bearer ${caller.key}` } });
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
}
