/**
 * The bench's model, a process of its own: it speaks OpenAI's streamed chat completions on loopback and replies by the job
 * in the request. It reads a request by two searches and not as JSON: its own time is part of what is measured. Below
 * `/tool/` it is the service that `http_request` calls.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback } from "../../test/mock-servers/listen.ts";
import { chatBody, chatEvents } from "../../test/mock-servers/model-wire.ts";
import { nowMs } from "../clock.ts";
import { jobOf, type NamedJob } from "../job.ts";
import type { Ask, Counted, ModelCall, Reply, ToolRequest } from "./records.ts";
import { replyTo } from "./script.ts";

const MODEL = "bench";
const EVENT_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
const WHOLE_HEADERS = { "content-type": "application/json" };
const IS_STREAMED = '"stream":true';
/** An assistant's message in a request that was written without spaces. */
const REPLY = /"role":"assistant"/g;
const TOOL_PATH = /^\/tool\/([\w-]+)\/(\d+)\/\d+\/(\d+)$/;

let calls: ModelCall[] = [];
let requests: ToolRequest[] = [];
let counts: Record<Counted, number> = { calls: 0, answers: 0, questions: 0 };
let waiting: Extract<Ask, { type: "until" }>[] = [];
/** Replies that are the same for every task, by kind, steps and step. */
const known = new Map<string, string>();

const server = createServer((request, response) => {
  const answered = request.method === "POST" ? answerModel(request, response) : answerTool(request, response);
  answered.catch((error: unknown) => {
    response.writeHead(400).end(String(error));
  });
});
server.keepAliveTimeout = 120_000;
const port = await listenOnLoopback(server, 0);
const toolHost = `127.0.0.1:${port}`;
const toolUrl = `http://${toolHost}/tool`;
sendReply({ id: 0, url: `http://${toolHost}/v1`, toolHost });

process.on("message", (ask: Ask) => {
  if (ask.type === "until") {
    waiting.push(ask);
    notifyWaiting();
    return;
  }
  sendReply({ id: ask.id, seen: { calls, requests } });
  calls = [];
  requests = [];
  counts = { calls: 0, answers: 0, questions: 0 };
});
process.on("disconnect", () => process.exit(0));

async function answerModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readBody(request);
  const at = nowMs();
  const job = jobOf(text);
  if (job === null) throw new Error("the request holds no job");
  const step = (text.match(REPLY)?.length ?? 0) + 1;
  const isStreamed = text.includes(IS_STREAMED);
  const reply = replyText(job, step, isStreamed);
  if (job.modelMs > 0) await sleep(job.modelMs);
  response.writeHead(200, isStreamed ? EVENT_HEADERS : WHOLE_HEADERS).end(reply);
  // The bench's requests are ASCII.
  calls.push({ task: job.task, step, bytes: text.length, at, repliedAt: nowMs() });
  if (job.task.includes("-")) return;
  counts.calls += 1;
  if (step > job.steps) counts.answers += 1;
  else if (job.kind === "ask") counts.questions += 1;
  if (waiting.length > 0) notifyWaiting();
}

async function answerTool(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = nowMs();
  const [, task, step, ms] = TOOL_PATH.exec(request.url ?? "") ?? [];
  if (task === undefined) throw new Error("there is no such tool");
  await sleep(Number(ms));
  response.writeHead(200, { "content-type": "text/plain" }).end("ok");
  requests.push({ task, step: Number(step), at, repliedAt: nowMs() });
}

function replyText(job: NamedJob, step: number, isStreamed: boolean): string {
  const isCommon = job.kind === "clock" || job.kind === "ask";
  const key = `${job.kind} ${job.steps} ${step} ${isStreamed}`;
  const before = isCommon ? known.get(key) : undefined;
  if (before !== undefined) return before;
  const reply = replyTo(job, step, toolUrl);
  const text = isStreamed
    ? `${chatEvents(reply, MODEL).join("")}data: [DONE]\n\n`
    : JSON.stringify(chatBody(reply, MODEL));
  if (isCommon) known.set(key, text);
  return text;
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.once("end", () => resolve(text));
    request.once("error", reject);
  });
}

function notifyWaiting(): void {
  const [there, not] = [waiting, [] as typeof waiting];
  waiting = not;
  for (const ask of there) {
    if (counts[ask.what] >= ask.count) sendReply({ id: ask.id, seen: null });
    else not.push(ask);
  }
}

function sendReply(reply: Reply): void {
  process.send?.(reply);
}
