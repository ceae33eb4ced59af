/** A mock MCP server of 2025 whose tools misbehave. */
import { createInterface } from "node:readline";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";

const mode = process.argv[2] ?? "";
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (id, said) => say({ id, result: { content: [{ type: "text", text: String(said) }] } });
let calls = 0;
let hanging = 0;
let greeted = false;

if (mode === "banner") console.log("Welcome to the server!\n\n{not json}\n[]");
if (mode === "fails") {
  console.error(`cannot start with ${process.env.API_KEY}`);
  process.exit(3);
}
if (mode === "slow") await new Promise((resolve) => setTimeout(resolve, 800));

const tools = {
  count: ({ id }) => text(id, (calls += 1)),
  pid: ({ id }) => text(id, process.pid),
  env: ({ id }) => text(id, JSON.stringify(process.env)),
  network: async ({ id, params }) =>
    text(
      id,
      await fetch(params.arguments.url).then(
        (it) => it.text(),
        (error) => `no: ${error.cause?.code}`,
      ),
    ),
  write: ({ id, params }) => {
    writeFileSync("mine.txt", params.arguments.text);
    text(id, "written");
  },
  files: ({ id }) => text(id, JSON.stringify({ work: readdirSync("/work"), root: readdirSync("/") })),
  environments: ({ id }) => {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    text(id, found.map((pid) => tryRead(`/proc/${pid}/environ`)).join("\n"));
  },
  daemon: ({ id }) => {
    const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
    child.unref();
    text(id, child.pid);
  },
  die: () => {
    console.error(`dying with ${process.env.API_KEY}`);
    process.exit(7);
  },
  hang: () => void (hanging += 1),
  hanging: ({ id }) => text(id, hanging),
  garbage: ({ id }) => {
    process.stdout.write("what is this\n\u0000\u0001 }{\n");
    text(id, "after the garbage");
  },
  flood: () => writeWithoutEnd(`${"x".repeat(1000)}\n`.repeat(500)),
  endless: () => writeWithoutEnd("y".repeat(500_000)),
  asks: ({ id }) => {
    say({ id: "mine", method: "sampling/createMessage", params: {} });
    waiting = id;
  },
  progress: ({ id, params }) => {
    say({
      method: "notifications/progress",
      params: { progressToken: params._meta?.progressToken, progress: 1, total: 3 },
    });
    if (params.arguments.end === true) text(id, "done");
  },
  changes: ({ id }) => {
    say({ method: "notifications/tools/list_changed" });
    text(id, "changed");
  },
  late: ({ id, params }) => setTimeout(() => text(id, params.arguments.text), params.arguments.ms),
  cancelled: ({ id }) => text(id, JSON.stringify(cancelled)),
};
let waiting = null;
const cancelled = [];

/** Writes as fast as the reader accepts. */
function writeWithoutEnd(piece) {
  process.stdout.write(piece, () => writeWithoutEnd(piece));
}

function tryRead(path) {
  try {
    return readFileSync(path, "utf8").replaceAll("\0", "\n");
  } catch {
    return "";
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (mode === "strict" && !greeted && method !== "initialize") process.exit(9);
  if (method === "initialize") {
    greeted = true;
    say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "unruly", version: "1" },
      },
    });
  } else if (method === "tools/list") {
    say({
      id,
      result: {
        tools: Object.keys(tools).map((name) => ({
          name,
          inputSchema: { type: "object" },
          annotations: { readOnlyHint: name !== "die" },
        })),
      },
    });
  } else if (method === "tools/call") void tools[params.name](message);
  else if (method === "notifications/cancelled") cancelled.push(params.requestId);
  else if (id === "mine" && waiting !== null) text(waiting, JSON.stringify(message.error));
  else if (id !== undefined && method !== undefined) say({ id, error: { code: -32601, message: "no" } });
});
