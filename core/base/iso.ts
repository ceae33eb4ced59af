/** Formats milliseconds since the epoch for the API and the database: ISO 8601 in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
