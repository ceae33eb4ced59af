/** The one way of these tests to the app over HTTP: every reply is held to the OpenAPI document. */
import { exports } from "cloudflare:workers";
import { linearPatterns } from "../../adapters/re2/patterns.ts";
import { createApp } from "../../workers/app.ts";
import { checkReply, makeReplyJudge, type ReplyDocument, type ReplyJudge } from "../setup/reply-judge.ts";

let judge: Promise<ReplyJudge> | null = null;

async function makeJudge(): Promise<ReplyJudge> {
  const document = await createApp().request("/openapi.json", {}, {});
  return makeReplyJudge(await document.json<ReplyDocument>(), linearPatterns);
}

/** Sends a request to the app. Throws when the reply is not as the document says; the reply itself is unread. */
export async function fetchApp(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await exports.default.fetch(url, init);
  await checkReply(await (judge ??= makeJudge()), init.method ?? "GET", url, response);
  return response;
}
