/** Files to and from Slack, whose bytes do not go through its Web API. */
import { z } from "zod";
import type { SlackPort, SlackUpload } from "../../core/ports/slack.ts";
import { asNotSent, failed, ok, type Result } from "../../core/base/errors.ts";
import { joinBytes } from "../../core/base/join-bytes.ts";
import { callSlack, type SlackAddress } from "./call.ts";
import { discardBody, fetchFromSlack } from "./reach.ts";
import { toRefusal } from "./refusals.ts";

const TRANSFER_MS = 60_000;

/** The first call returns an upload URL, the second sends the bytes, the third shares the file. */
export async function uploadFile(address: SlackAddress, file: SlackUpload): Promise<Result<void>> {
  const { channel, thread, name, title, bytes } = file;
  const place = z.object({ upload_url: z.string(), file_id: z.string() });
  const wanted = { filename: name, length: bytes.length };
  const given = await callSlack(address, "files.getUploadURLExternal", wanted, place);
  if (!given.ok) return asNotSent(given.error);
  const put = await putBytes(address, given.value.upload_url, bytes);
  // A file that was not completed is invisible.
  if (!put.ok) return asNotSent(put.error);
  const shared = { files: [{ id: given.value.file_id, title }], channel_id: channel, thread_ts: thread };
  const done = await callSlack(address, "files.completeUploadExternal", shared, z.object({}));
  return done.ok ? ok(undefined) : done;
}

async function putBytes(from: SlackAddress, url: string, bytes: Uint8Array): Promise<Result<void>> {
  const headers = { "content-type": "application/octet-stream" };
  return await fetchFromSlack({
    url,
    from,
    init: { method: "POST", headers, body: bytes },
    timeoutMs: TRANSFER_MS,
    read: discardBody,
  });
}

export async function downloadFile(
  from: SlackAddress,
  url: string,
  maxBytes: number,
): ReturnType<SlackPort["download"]> {
  const headers: Record<string, string> = from.token === null ? {} : { authorization: `Bearer ${from.token}` };
  const read = async (response: Response) => await readFile(response, maxBytes);
  return await fetchFromSlack({ url, from, init: { headers }, timeoutMs: TRANSFER_MS, read });
}

/** For a token that may not read a file, Slack replies with its login page as if it were the file. */
function isLoginPage(response: Response, contentType: string): boolean {
  return contentType.startsWith("text/html") && !/\.html?$/i.test(URL.parse(response.url)?.pathname ?? "");
}

async function readFile(response: Response, maxBytes: number): ReturnType<SlackPort["download"]> {
  const contentType = response.headers.get("content-type") ?? "application/octet-stream";
  if (isLoginPage(response, contentType)) {
    await response.body?.cancel();
    return toRefusal("access_denied");
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  const body = response.body as ReadableStream<Uint8Array> | null;
  for (const reader = body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      return failed("too_large", `The file is larger than ${maxBytes} bytes.`);
    }
    parts.push(value);
  }
  return ok({ bytes: joinBytes(parts), contentType });
}
