/**
 * A mock receiver of webhooks. It answers each `POST /{path}` with the replies that a test has `PUT` there, a JSON list whose last reply
 * repeats (204 without any). `GET /{path}` lists what was posted.
 */
import { type Recorder, type RecorderReply, type RecordedRequest, startRecorder } from "./recorder.ts";

export async function startWebhookReceiver(): Promise<Recorder> {
  const receiver: Recorder = await startRecorder({
    reply({ method, path }) {
      const posted = receiver.requests.filter((one) => one.path === path && one.method === "POST");
      if (method === "GET") return { status: 200, body: JSON.stringify(posted) };
      if (method === "PUT") return { status: 204 };
      const replies = findReplies(receiver.requests, path);
      return replies[Math.min(posted.length, replies.length) - 1] ?? { status: 204 };
    },
  });
  return receiver;
}

function findReplies(requests: readonly RecordedRequest[], path: string): readonly RecorderReply[] {
  const set = requests.findLast((one) => one.path === path && one.method === "PUT");
  return set === undefined ? [] : (JSON.parse(set.body) as readonly RecorderReply[]);
}
