/** The text of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

/** Formats one event. JSON has no bare line break, so `data` is one line. */
export function formatEvent(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
