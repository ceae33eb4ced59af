/** Reads replies of services as text with a limit. */

/**
 * Returns the text of a reply in UTF-8; null if it has more than `maxBytes` bytes, and the rest stays unread. Rejects
 * when the reply is incomplete.
 */
export async function readAtMost(response: Response, maxBytes: number): Promise<string | null> {
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (let read = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.length;
    if (read > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
