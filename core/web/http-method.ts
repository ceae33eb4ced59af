/** True for a method that changes nothing at the other side (RFC 9110, section 9.2.1), so that it may be sent again. */
export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
