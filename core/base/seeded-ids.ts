/** Ids that a repeated request derives again. */

/** Derives the time and the random bytes of an id from a seed, so that a repeat gets the same id. */
export async function seededIds(
  purpose: string,
  seed: string,
  createdAt: number,
): Promise<{ createdAt: number; random: Uint8Array }> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${purpose} ${seed}`));
  return { createdAt, random: new Uint8Array(digest) };
}
