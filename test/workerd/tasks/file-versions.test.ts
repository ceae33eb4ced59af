import { beforeAll, describe, expect, test } from "vitest";
import { LITERALS, TRAVERSALS } from "../../tools/files/hostile-paths.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

const TEXT = { "content-type": "text/plain" };

describe("the versions of a file", () => {
  let caller: Caller;
  let id: string;
  const put = (path: string, text: string) => caller.send("PUT", `/v1/tasks/${id}/files/${path}`, text, TEXT);
  const get = (path: string, query = "") => caller.send("GET", `/v1/tasks/${id}/files/${path}${query}`);
  const remove = (path: string, headers: Record<string, string> = {}) =>
    caller.send("DELETE", `/v1/tasks/${id}/files/${path}`, undefined, headers);
  const versions = (path: string) => caller.send("GET", `/v1/tasks/${id}/file-versions/${path}`);
  const restore = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    caller.send("POST", `/v1/tasks/${id}/file-versions/${path}`, body, headers);
  const audited = async () =>
    (await caller.send("GET", "/v1/audit")).json.data.map(({ action, target }: { action: string; target: string }) => [
      action,
      target,
    ]);

  beforeAll(async () => {
    caller = await makeCaller();
    ({ id } = await caller.makeTask([], { hold: true, project: "sales" }));
  });

  test.each(["a/b c.txt".replace(" ", "%20"), "project/shared.txt"])(
    "of %s are listed, downloaded and restored",
    async (path) => {
      for (const text of ["one", "two!", "three"]) await put(path, text);
      const listed = (await versions(path)).json.data;
      expect(listed).toMatchObject([
        { version: 3, is_current: true, size: 5, mode: "0644", content_type: "text/plain" },
        { version: 2, is_current: false, size: 4 },
        { version: 1, is_current: false, size: 3 },
      ]);
      const first = await caller.send("GET", new URL(listed[2].url).pathname + new URL(listed[2].url).search);
      expect([first.status, first.text]).toEqual([200, "one"]);
      const restored = await restore(path, { version: 1 });
      expect([restored.status, restored.json.size, (await get(path)).text]).toEqual([200, 3, "one"]);
      expect(restored.headers.get("etag")).toBe(first.headers.get("etag"));
      expect((await versions(path)).json.data.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1]);
      const named = decodeURIComponent(path);
      expect(await audited()).toContainEqual(["file.restore", `${id}/files/${named}`]);
    },
  );

  test("stay when it is deleted, which is audited, and bring it back", async () => {
    await put("gone.txt", "kept");
    const deleted = await remove("gone.txt");
    expect([deleted.status, deleted.json]).toEqual([200, { path: "gone.txt", kind: "file" }]);
    expect(await audited()).toContainEqual(["file.delete", `${id}/files/gone.txt`]);
    expectProblem(await get("gone.txt"), 404);
    expectProblem(await remove("gone.txt"), 404);
    expect((await versions("gone.txt")).json.data).toMatchObject([{ version: 1, is_current: false }]);
    expect((await get("gone.txt", "?version=1")).text).toBe("kept");
    const restored = await restore("gone.txt", { version: 1 });
    expect([restored.status, (await get("gone.txt")).text]).toEqual([201, "kept"]);
    await remove("gone.txt");
    expect((await put("gone.txt", "new")).status).toBe(201);
  });

  test("change only on the condition that the caller sets", async () => {
    const etag = (await put("if.txt", "one")).headers.get("etag") ?? "";
    await put("if.txt", "two");
    expectProblem(await remove("if.txt", { "if-match": etag }), 409, "If-Match");
    expectProblem(await restore("if.txt", { version: 1 }, { "if-match": etag }), 409, "If-Match");
    const current = (await get("if.txt")).headers.get("etag") ?? "";
    expect((await restore("if.txt", { version: 1 }, { "if-match": current })).status).toBe(200);
    expect((await remove("if.txt", { "if-match": etag })).status).toBe(200);
  });

  test("are restored once under a key", async () => {
    await put("key.txt", "one");
    await put("key.txt", "two");
    const headers = { "idempotency-key": "restore-once" };
    const first = await restore("key.txt", { version: 1 }, headers);
    await put("key.txt", "three");
    expect((await restore("key.txt", { version: 1 }, headers)).text).toBe(first.text);
    expect((await get("key.txt")).text).toBe("three");
  });

  test("are read by an existing number only", async () => {
    await put("n.txt", "one");
    for (const body of [{}, { version: 0 }, { version: "1" }, { version: 1.5 }, { version: 1, more: 1 }, []]) {
      expectProblem(await restore("n.txt", body), 422);
    }
    expectProblem(await caller.send("POST", `/v1/tasks/${id}/file-versions/n.txt`), 422, "version");
    expectProblem(await restore("n.txt", { version: 7 }), 404);
    expectProblem(await restore("none.txt", { version: 1 }), 404);
    expectProblem(await versions("none.txt"), 404);
    for (const version of ["0", "x", "-1", "1e9", "9".repeat(30)])
      expectProblem(await get("n.txt", `?version=${version}`), 422, "version");
    expectProblem(await get("n.txt", "?version=7"), 404);
  });

  test("of a task that has ended stay as they are", async () => {
    const own = await caller.makeTask([], { hold: true });
    const path = `/v1/tasks/${own.id}/files/a.txt`;
    await caller.send("PUT", path, "x", TEXT);
    await caller.send("POST", `/v1/tasks/${own.id}/cancel`);
    expectProblem(await caller.send("DELETE", path), 409);
    expectProblem(await caller.send("POST", `/v1/tasks/${own.id}/file-versions/a.txt`, { version: 1 }), 409);
    expect((await caller.send("GET", `/v1/tasks/${own.id}/file-versions/a.txt`)).status).toBe(200);
  });

  test("need the scope: to read them one, to change them another", async () => {
    const reader = await makeCaller(["tasks:read"]);
    const path = "/v1/tasks/task_00000000000000000000000000";
    expectProblem(await reader.send("DELETE", `${path}/files/a.txt`), 403);
    expectProblem(await reader.send("POST", `${path}/file-versions/a.txt`, { version: 1 }), 403);
    expectProblem(await reader.send("GET", `${path}/file-versions/a.txt`), 404);
  });

  test("of another tenant are not there", async () => {
    const other = await makeCaller();
    await put("secret.txt", "secret");
    for (const [method, path, body] of [
      ["GET", `/v1/tasks/${id}/file-versions/secret.txt`, undefined],
      ["POST", `/v1/tasks/${id}/file-versions/secret.txt`, { version: 1 }],
      ["GET", `/v1/tasks/${id}/files/secret.txt?version=1`, undefined],
      ["DELETE", `/v1/tasks/${id}/files/secret.txt`, undefined],
    ] as const) {
      expectProblem(await other.send(method, path, body), 404);
    }
    expect((await get("secret.txt")).text).toBe("secret");
    const theirs = await other.makeTask([], { hold: true, project: "sales" });
    expect((await other.send("GET", `/v1/tasks/${theirs.id}/files`)).json.data).toEqual([]);
  });
});

describe("an empty directory", () => {
  test("is deleted over the API, and one that holds something is not", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([], { hold: true });
    await caller.send("PUT", `/v1/tasks/${id}/files/d/a.txt`, "x", TEXT);
    expectProblem(await caller.send("DELETE", `/v1/tasks/${id}/files/d`), 409);
    await caller.send("DELETE", `/v1/tasks/${id}/files/d/a.txt`);
    const gone = await caller.send("DELETE", `/v1/tasks/${id}/files/d`);
    expect([gone.status, gone.json]).toEqual([200, { path: "d", kind: "directory" }]);
  });
});

describe("hostile paths", () => {
  const METHODS = [
    ["GET", "files", undefined],
    ["PUT", "files", "x"],
    ["DELETE", "files", undefined],
    ["GET", "file-versions", undefined],
    ["POST", "file-versions", { version: 1 }],
  ] as const;

  test("in a URL lead nowhere, encoded in any way, and are never an internal error", async () => {
    const [caller, neighbour] = [await makeCaller(), await makeCaller()];
    const { id } = await caller.makeTask([], { hold: true });
    const theirs = await neighbour.makeTask([], { hold: true });
    await neighbour.send("PUT", `/v1/tasks/${theirs.id}/files/secret.txt`, "secret", TEXT);
    // Half of a surrogate pair is nothing that a URL can hold.
    const encodings = TRAVERSALS.filter((path) => path.isWellFormed()).flatMap((path) => [
      encodeURIComponent(path),
      path.split("/").map(encodeURIComponent).join("/"),
      encodeURIComponent(path).replaceAll(".", "%2e"),
    ]);
    const raw = [
      "%",
      "%zz",
      "%c0%ae%c0%ae/x",
      "%c0%ae%c0%ae%c0%afx",
      "%e0%80%ae",
      "%ed%a0%80",
      "%ff%fe",
      "..%c0%af..%c0%afx",
    ];
    for (const path of new Set([...encodings, ...raw])) {
      for (const [method, under, body] of METHODS) {
        const url = `/v1/tasks/${id}/${under}/${path}`;
        const answer = await caller.send(method, url, body, method === "PUT" ? TEXT : {});
        // A URL resolves its dot segments before it is sent; what arrives then is another path, and a good one.
        const isSentAsWritten = new URL(url, "http://otto.test").pathname === url;
        if (isSentAsWritten) expect([403, 404, 422], `${method} ${path}: ${answer.text}`).toContain(answer.status);
        else expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
        expect(answer.text).not.toContain(theirs.id);
      }
      await caller.send("DELETE", `/v1/tasks/${id}/files/${path}`);
    }
    expect((await caller.send("GET", `/v1/tasks/${id}/files`)).json.data).toEqual([]);
  }, 60_000);

  test("that are only odd names stay names", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([], { hold: true });
    for (const path of LITERALS) {
      const url = `/v1/tasks/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
      const made = await caller.send("PUT", url, `[${path}]`, TEXT);
      expect([made.status, made.json.path], path).toEqual([201, path.normalize("NFC")]);
      expect((await caller.send("GET", url)).text).toBe(`[${path}]`);
    }
  });
});
