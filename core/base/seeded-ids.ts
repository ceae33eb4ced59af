/** Ids that a repeat makes again. */

/** What makes the id of a thing that the same seed and moment always make the same of. */
export async function seededIds(
  purpose: string,
  seed: string,
  createdAt: number,
): Promise<{ createdAt: number; random: Uint8Array }> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${purpose} ${seed}`));
  return { createdAt, random: new Uint8Array(digest) };
}
