/**
 * README.md held against the system: its tour as a reader follows it, with the demo model and the lines of the shell as
 * they stand there, and what it says of tools and variables.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PendingView, TaskView } from "../../core/task/view.ts";
import { MODEL_PROVIDERS } from "../../adapters/model/providers.ts";
import { workerVars } from "../../scripts/supervisor/worker-vars.ts";
import { kill, startSystem, type StartedSystem } from "../drill/started-system.ts";
import { fetchApi } from "../setup/fetch-api.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
/** The tour takes some seconds; one that misses its question waits for the end of its task without end. */
const TOUR_TIMEOUT_MS = 90_000;
const PLACES = ["Lisbon", "Tokyo", "New York"];

/** A block of the tour that was run: the task that it made, and what its reader saw. */
interface Part {
  readonly task: string;
  readonly output: string;
}

/** A row of a task's ledger, as far as it is asked here. */
interface Row {
  readonly call_id: string;
  readonly tool: string;
  readonly state: string;
  readonly arguments_hash: string;
  readonly result?: { readonly ok: boolean; readonly result: unknown };
}

let system: StartedSystem;

beforeAll(async () => {
  system = await startSystem({});
});

afterAll(async () => {
  await system?.stop();
});

/** The blocks of shell of the tour, from its heading to the next one of the same level. */
function tourBlocks(): string[] {
  const tour = /^## A first task in two minutes\n([\s\S]*?)^## /m.exec(README)?.[1] ?? "";
  return Array.from(tour.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block = ""]) => block);
}

/** `text` with the one place where `from` stands changed; it throws when there are more, or none. */
function changed(text: string, from: string, to: string): string {
  const pieces = text.split(from);
  if (pieces.length !== 2) throw new Error(`the tour names ${from} ${pieces.length - 1} times and not once`);
  return pieces.join(to);
}

/** Runs the blocks one after another in one shell, as a reader pastes them. */
async function followTour(): Promise<Part[]> {
  const marked = tourBlocks().map((block) => `${block}\nprintf '\\n== %s ==\\n' "$TASK"\n`);
  const here = changed(marked.join(""), "http://localhost:8787", system.url);
  const output = await inBash(changed(here, ".otto/dev-key", join(system.stateFolder, "dev-key")));
  return Array.from(output.matchAll(/([\s\S]*?)\n== (.*) ==\n/g), ([, text = "", task = ""]) => ({
    task,
    output: text,
  }));
}

/** What a script shows. It throws when the script fails, complains or does not come to an end. */
async function inBash(script: string): Promise<string> {
  // The leader of a group, so that the stream that it leaves in the background ends with it.
  const bash = spawn("bash", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "" },
  });
  let [out, complaints] = ["", ""];
  bash.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  bash.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const timer = setTimeout(() => bash.pid !== undefined && kill(-bash.pid), TOUR_TIMEOUT_MS);
  const status = await new Promise<number | null>((resolve, reject) => {
    bash.once("error", reject);
    bash.once("close", resolve);
  }).finally(() => clearTimeout(timer));
  if (status !== 0 || complaints !== "") throw new Error(`the tour ended with ${status}: ${complaints}\n${out}`);
  return out;
}

async function read(path: string): Promise<string> {
  const response = await fetchApi(`${system.url}/v1${path}`, { headers: { authorization: `Bearer ${system.key}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  return text;
}

async function readTask(id: string): Promise<TaskView> {
  return JSON.parse(await read(`/tasks/${id}`)) as TaskView;
}

async function readPage<T>(path: string): Promise<readonly T[]> {
  return (JSON.parse(await read(path)) as { readonly data: readonly T[] }).data;
}

async function callsOf(task: string, tool: string): Promise<readonly Row[]> {
  return (await readPage<Row>(`/tasks/${task}/ledger`)).filter((row) => row.tool === tool);
}

/** The events of one kind that a reader saw in the stream. */
function eventsIn(output: string, kind: string): readonly Record<string, unknown>[] {
  const found = output.matchAll(/^event: (.+)\ndata: (.+)$/gm);
  return Array.from(found, ([, name, data = ""]) => ({ name, data }))
    .filter(({ name }) => name === kind)
    .map(({ data }) => JSON.parse(data) as Record<string, unknown>);
}

/** The task that waits, as the tour shows it before the decision. */
function waitingIn({ task, output }: Part): TaskView {
  const [line = ""] = output.slice(output.indexOf(`{"id":"${task}"`)).split("\n");
  return JSON.parse(line) as TaskView;
}

/** The question was answered, and the note that was fetched last holds the answer. */
async function judgeQuestion({ task, output }: Part): Promise<void> {
  expect(await readTask(task)).toMatchObject({
    status: "completed",
    pending: [],
    output: { files: [{ path: "notes/city.md" }] },
  });
  expect(await callsOf(task, "ask_human")).toMatchObject([
    { state: "confirmed", result: { ok: true, result: { answer: "Lisbon" } } },
  ]);
  expect(eventsIn(output, "question.answered")).toMatchObject([{ answer: "Lisbon" }]);
  const note = await read(`/tasks/${task}/files/notes/city.md`);
  expect(note).toContain("Lisbon");
  expect(output.endsWith(note)).toBe(true);
}

async function judgeFanOut({ task }: Part): Promise<void> {
  expect(await readTask(task)).toMatchObject({ status: "completed", pending: [] });
  const subtasks = await readPage<TaskView>(`/tasks/${task}/subtasks`);
  const wanted = PLACES.map((place) => ({
    status: "completed",
    parent_id: task,
    input: expect.stringContaining(place) as string,
  }));
  expect(subtasks).toMatchObject(wanted);
  const dispatched = subtasks.map(({ id }) => ({
    state: "confirmed",
    result: { result: { subtask_id: id, status: "completed" } },
  }));
  expect(await callsOf(task, "dispatch_subagent")).toMatchObject(dispatched);
}

/** What was shown was approved, once, and exactly that is in the file. */
async function judgeApproval(part: Part): Promise<void> {
  const { task, output } = part;
  const [call] = await callsOf(task, "write_file");
  const [approval] = waitingIn(part).pending as readonly Extract<PendingView, { kind: "approval" }>[];
  const times = await read(`/tasks/${task}/files/notes/times.md`);
  expect(call).toMatchObject({ state: "confirmed", result: { ok: true, result: { path: "notes/times.md" } } });
  expect(approval).toMatchObject({
    kind: "approval",
    tool: "write_file",
    call_id: call?.call_id,
    arguments_hash: call?.arguments_hash,
    arguments: { path: "notes/times.md", content: times },
  });
  expect(eventsIn(output, "approval.decided")).toMatchObject([
    { approval_id: approval?.id, call_id: call?.call_id, decision: "approve", arguments_hash: call?.arguments_hash },
  ]);
  for (const place of PLACES) {
    const lines = times.split("\n").filter((line) => line.includes(`${place}: `) && /\d\d:\d\d/.test(line));
    expect(lines, `${place} in\n${times}`).toHaveLength(1);
  }
  expect(output.endsWith(times)).toBe(true);
}

test.each(["once", "again on the same state"])("the tour shows what it promises when it is followed %s", async () => {
  const parts = await followTour();
  const [first, second] = parts;
  if (first === undefined || second === undefined || parts.length > 2) throw new Error("the tour has two blocks");
  // Only a problem has a request's id in it: nothing that the reader asked for was refused.
  for (const { output } of parts) expect(output).not.toContain('"request_id":');
  expect(second.task).not.toBe(first.task);
  await judgeQuestion(first);
  await judgeFanOut(second);
  await judgeApproval(second);
});

test("the skills that ship are named", async () => {
  const namedIn = (title: string): readonly (string | undefined)[] => {
    const row = new RegExp(`^\\| ${title} \\|(.*)\\|$`, "m").exec(README)?.[1] ?? "";
    return Array.from(row.matchAll(/`([^`]+)`/g), ([, name]) => name);
  };
  const skills = await readPage<{ readonly name: string }>("/skills");
  expect(namedIn("skills")).toEqual(expect.arrayContaining(skills.map(({ name }) => name)));
});

test("every variable of the table is read, and reaches who reads it", () => {
  const rows = /^\| variable \|.*\n\| ---.*\n((?:\|.*\n)+)/m.exec(README)?.[1]?.trim().split("\n") ?? [];
  const named = rows.map((row) =>
    Array.from((row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );
  expect(named.filter((names) => names.length === 0)).toEqual([]);
  expect(named.flat()).toContain("OTTO_STATE");
  const folder = join(ROOT, "scripts/supervisor");
  const supervisor = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const readers = join(ROOT, "adapters/env");
  const settings = readdirSync(readers)
    .map((name) => readFileSync(join(readers, name), "utf8"))
    .join("\n");
  const ofProviders: readonly string[] = MODEL_PROVIDERS.flatMap(({ secret, url }) => [secret, url]);
  const isRead = (name: string): boolean =>
    supervisor.some((text) => text.includes(`env["${name}"]`) || text.includes(`readGiven(env, "${name}")`)) ||
    ((new RegExp(`\\benv\\.${name}\\b`).test(settings) || ofProviders.includes(name)) && passesToWorker(name));
  expect(named.flat().filter((name) => !isRead(name))).toEqual([]);
});

/** True when the supervisor hands a variable of the user's on. */
function passesToWorker(name: string): boolean {
  const decided = { databaseUrl: "", databaseEndpoint: "", sidecarUrl: "", sidecarSecret: "", secretKey: "" };
  return workerVars({ [name]: "as set" }, { ...decided, operatorKey: "", demoApps: null })[name] === "as set";
}
