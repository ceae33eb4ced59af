/** True for a safe method (RFC 9110, section 9.2.1), which may be sent again. */
export function isSafeMethod(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
