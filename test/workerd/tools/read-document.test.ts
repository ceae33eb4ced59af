/** Documents in the runtime that the tool is made for: read over the API, and by a model. */
import { describe, expect, test } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";

const PAGE = `<!DOCTYPE html><html><head><title>Orchard</title></head><body><h1>Harvest</h1><script>evil()</script>
<table><tr><th>Fruit</th><th>Crates</th></tr><tr><td>Apple</td><td>12</td></tr></table>
<p><img alt="dot" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></p></body></html>`;

async function taskWith(caller: Caller, replies: readonly unknown[], permissions: readonly string[]): Promise<string> {
  const agent = { name: "reader", instructions: "", tools: ["read_document"], permissions };
  const made = await caller.send("POST", "/v1/agents", agent);
  const task = await caller.makeTask(replies, { hold: true, agent: made.json.id });
  const put = (path: string, body: string) =>
    caller.send("PUT", `/v1/tasks/${task.id}/files/${path}`, body, { "content-type": "application/octet-stream" });
  await put("inbox/page.html", PAGE);
  await put("inbox/table.csv", "a;b\n1,5;2\n");
  return task.id;
}

describe("read_document over the API", () => {
  test("returns Markdown, and writes the pictures into the given folder", async () => {
    const caller = await makeCaller();
    const task_id = await taskWith(caller, [{ text: "done" }], ["read", "write"]);
    const answer = await caller.send("POST", "/v1/tools/read_document/call", {
      arguments: { path: "inbox/page.html", images_folder: "pictures" },
      task_id,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.result).toMatchObject({ format: "html", title: "Orchard", warnings: [] });
    const { content, images } = answer.json.result;
    expect(content).toContain("| Apple | 12     |");
    expect(content).toContain("![dot](pictures/inline.gif)");
    expect(content).not.toContain("evil");
    expect(images).toEqual([{ name: "inline.gif", path: "pictures/inline.gif", content_type: "image/gif", size: 14 }]);
    const picture = await caller.send("GET", `/v1/tasks/${task_id}/files/pictures/inline.gif`);
    expect([picture.status, picture.text.slice(0, 6)]).toEqual([200, "GIF89a"]);
  });

  test.each([
    [{ filename: "inbox/none.docx" }, "not_found"],
    [{ filename: "../secret.docx" }, "sandbox_denied"],
    [{ filename: "inbox/page.html", images_folder: "out" }, "permission_denied"],
    [{ filename: "inbox/page.html", pages: "x" }, "invalid_input"],
  ])("says why %j cannot be", async (given, code) => {
    const caller = await makeCaller();
    const task_id = await taskWith(caller, [{ text: "done" }], ["read"]);
    const answer = await caller.send("POST", "/v1/tools/read_document/call", { arguments: given, task_id });
    expect(answer.json.error?.code ?? answer.json.code, answer.text).toBe(code);
  });
});

test("a model reads a document", async () => {
  const caller = await makeCaller();
  const replies = [
    { calls: [{ name: "read_document", arguments: { filename: "inbox/table.csv" } }] },
    { text: "done" },
  ];
  const id = await taskWith(caller, replies, ["read"]);
  await caller.send("POST", `/v1/tasks/${id}/start`);
  await caller.until(id, ({ status }) => status === "completed");
  const rows = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
  expect(rows).toMatchObject([
    {
      tool: "read_document",
      result: { ok: true, result: { format: "csv", content: "| a | b |\n| --- | --- |\n| 1,5 | 2 |" } },
    },
  ]);
});
