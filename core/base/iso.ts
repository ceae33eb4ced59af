/** Moments, in milliseconds since the epoch, as the API and the database write them: ISO 8601 in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
